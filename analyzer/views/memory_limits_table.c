/* SPDX-License-Identifier: GPL-3.0-or-later */
/* View errors: memory that has reached INSIDEME_MAX_MEMORY. */
#include "analyzer/views/memory_limits_table.h"

#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/tables/document.h"
#include "analyzer/views/heap_sites.h"

#define TEXT_PATHS	20

struct path_row {
	struct document *document;
	const struct event *reached;
	const struct event *path;	/* of one thread; NULL: there was no room for any */
};

enum { ROW_PID, ROW_BYTES, ROW_LIMIT, ROW_THREAD, ROW_ALLOCATED, ROW_AFTER };

static struct value get_number(const struct column *column, const void *row)
{
	const struct path_row *of = row;
	const struct process *process = of->reached->process;

	switch (column->index) {
	case ROW_PID:
		return value_integer(UNIT_NONE, process->header.pid);
	case ROW_BYTES:
		return value_integer(UNIT_BYTES, (int64_t)of->reached->values[0]);
	case ROW_LIMIT:
		return value_integer(UNIT_BYTES, (int64_t)of->reached->values[1]);
	case ROW_THREAD:
		return of->path && of->path->thread ? value_integer(UNIT_NONE, of->path->thread->tid) : value_empty();
	case ROW_ALLOCATED:
		return of->path && of->reached->thread ? value_integer(UNIT_NONE, of->path->thread == of->reached->thread) :
			value_empty();
	default:
		return of->reached->time == NO_TIME ? value_empty() : value_integer(UNIT_NS, of->reached->time);
	}
}

enum { ROW_PROGRAM, ROW_MEMORY, ROW_NAME, ROW_PATH };

static struct value get_text(const struct column *column, const void *row)
{
	const struct path_row *of = row;

	switch (column->index) {
	case ROW_PROGRAM:
		return value_text(of->reached->process->header.program);
	case ROW_MEMORY:
		return value_text(of->reached->values[2] == LOG_MEMORY_HEAP ? "heap" : "RSS");
	case ROW_NAME:
		return of->path && of->path->thread && of->path->thread->name[0] ? value_text(of->path->thread->name) :
			value_empty();
	default:
		return of->path && of->path->node ? value_text(heap_path_text(of->document, of->path->node)) : value_empty();
	}
}

static struct value get_run(const struct column *column, const void *row)
{
	const struct process *process = ((const struct path_row *)row)->reached->process;

	return run_cell(process->model, process->run, column->index);
}

static const struct column columns[] = {
	{ "pid", "Pid", 0, get_number, ROW_PID },
	{ "program", "Program", COLUMN_LEFT, get_text, ROW_PROGRAM },
	{ "memory", "Memory", COLUMN_LEFT, get_text, ROW_MEMORY },
	{ "reached_bytes", "Reached", 0, get_number, ROW_BYTES },
	{ "limit_bytes", "Limit", 0, get_number, ROW_LIMIT },
	{ "after_ns", "After", 0, get_number, ROW_AFTER },
	{ "thread", "Thread", 0, get_number, ROW_THREAD },
	{ "thread_name", "Name", COLUMN_LEFT | COLUMN_SPARE, get_text, ROW_NAME },
	{ "allocated", "Allocated", 0, get_number, ROW_ALLOCATED },
	{ "run", "Run", COLUMN_LEFT, get_run, CELL_RUN },
	{ "run_number", "Run", 0, get_run, CELL_RUN_NUMBER },
	{ "path", "In", COLUMN_LEFT | COLUMN_ROOM, get_text, ROW_PATH },
};

static const struct event *find_reached(const struct process *process)
{
	for (size_t i = 0; i < process->nr_events; i++)
		if (process->events[i].kind == LOG_EVENT_MEMORY)
			return &process->events[i];
	return NULL;
}

/* The thread that allocated comes first. */
static void list_process(struct table_rows *rows, struct path_row *list, struct document *document,
			 const struct process *process)
{
	const struct event *reached = find_reached(process);
	size_t before = rows->nr_rows;

	for (int others = 0; reached && others <= 1; others++)
		for (size_t i = 0; i < process->nr_events; i++) {
			const struct event *path = &process->events[i];

			if (path->kind == LOG_EVENT_MEMORY_PATH && (path->thread != reached->thread) == others)
				list[rows->nr_rows++] = (struct path_row){ document, reached, path };
		}
	if (reached && rows->nr_rows == before)
		list[rows->nr_rows++] = (struct path_row){ document, reached, NULL };
}

void memory_limits_add(struct document *document, struct report *report)
{
	const struct model *model = report->model;
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct path_row *list;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->nr_events;
	list = document_new(document, (nr + 1) * sizeof(*list));
	for (size_t i = 0; i < model->nr_processes; i++)
		list_process(rows, list, document, model->processes[i]);
	if (!rows->nr_rows)
		return;
	rows->rows = list;
	*table = (struct table){
		.name = "memory_limit",
		.what = "threads",
		.note = "what each thread was in when memory reached INSIDEME_MAX_MEMORY; Allocated 1: by whom",
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.text_columns = model->nr_processes > 1 ? "pid,memory,reached_bytes,after_ns,thread,thread_name,allocated,path" :
			"memory,reached_bytes,after_ns,thread,thread_name,allocated,path",
		.data_columns = "pid,program,memory,reached_bytes,limit_bytes,after_ns,thread,thread_name,allocated,path",
		.text_top = TEXT_PATHS,
		.aside = true,
		.row_bytes = sizeof(*list),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	report_tell_runs(report, document, table);
	document_add_table(document, table)->apart = true;
}
