/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads of a run: when each began and ended, and what it did. */
#include "analyzer/views/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/cells.h"
#include "analyzer/model/resolve.h"

#define TEXT_THREADS 40

struct thread_row {
	struct thread *thread;
	uint64_t broken_calls;		/* open when it ended, and closed by that */
};

enum { THREAD_SHARED, THREAD_CALLS, THREAD_OPEN, THREAD_BROKEN };

static struct value get_number(const struct column *column, const void *row)
{
	const struct thread_row *of = row;
	const struct thread *thread = of->thread;

	switch (column->index) {
	case THREAD_SHARED:
		return value_integer(UNIT_COUNT, thread->nr_threads);
	case THREAD_CALLS:
		return value_integer(UNIT_COUNT, (int64_t)thread->calls);
	case THREAD_OPEN:
		return value_integer(UNIT_COUNT, (int64_t)thread->open_calls);
	default:	/* known only of the first of several */
		return thread->nr_threads > 1 ? value_empty()
					      : value_integer(UNIT_COUNT, (int64_t)of->broken_calls);
	}
}

static struct value get_who(const struct column *column, const void *row)
{
	const struct thread *thread = ((const struct thread_row *)row)->thread;

	return who_cell(thread->process, thread, column->index);
}

enum { THREAD_BEGIN, THREAD_END, THREAD_DURATION, THREAD_FUNCTIONS };

static struct value get_time(const struct column *column, const void *row)
{
	const struct thread *thread = ((const struct thread_row *)row)->thread;
	int64_t end = thread->end != NO_TIME ? thread->end : thread->process->last;

	switch (column->index) {
	case THREAD_BEGIN:
		return thread->begin == NO_TIME ? value_empty() : value_integer(UNIT_NS, thread->begin);
	case THREAD_END:
		return thread->end == NO_TIME ? value_empty() : value_integer(UNIT_NS, thread->end);
	case THREAD_DURATION:
		return thread->begin == NO_TIME ? value_empty() : ns_cell((double)(end - thread->begin));
	default:
		return thread->process->header.timing == LOG_TIMING_COUNTS ? value_empty()
									   : ns_cell(thread->functions_ns);
	}
}

static struct value get_share(const struct column *column, const void *row)
{
	const struct thread *thread = ((const struct thread_row *)row)->thread;

	(void)column;
	if (thread->process->header.timing == LOG_TIMING_COUNTS)
		return value_empty();
	return share_cell(fmax(thread->functions_ns, 0), thread->process->model->functions_ns);
}

#define LIVE_BYTES 100

static struct value get_heap(const struct column *column, const void *row)
{
	const struct thread *thread = ((const struct thread_row *)row)->thread;

	if (thread->process->header.heap_bytes == LOG_HEAP_OFF)
		return value_empty();
	if (column->index == LIVE_BYTES)
		return value_integer(UNIT_BYTES, thread->heap_bytes);
	return heap_cell(&thread->heap, column->index);
}

static struct value get_function(const struct column *column, const void *row)
{
	struct function *function = resolve_begin(((const struct thread_row *)row)->thread);

	return function ? function_cell(function, column->index) : value_empty();
}

/* How the thread ended; if several share a record, the last one. */
static const char *end_of(const struct thread_row *row, char *out, size_t bytes)
{
	const struct thread *thread = row->thread;

	if (thread->end != NO_TIME) {
		snprintf(out, bytes,
			 row->broken_calls && thread->nr_threads == 1 ? "ended, %llu call%s open" : "ended",
			 (unsigned long long)row->broken_calls, row->broken_calls == 1 ? "" : "s");
		return out;
	}
	switch (thread->process->end_kind) {
	case END_RUNNING:
		return "running";
	case END_EXIT:
		return "at exit";
	case END_EXEC:
		return "exec";
	case END_SIGNAL:
	case END_SILENT:
		return "killed";
	default:
		return "not known";
	}
}

enum { TEXT_NAME, TEXT_WHO, TEXT_END };

static struct value get_text(const struct column *column, const void *row)
{
	static char text[64];
	const struct thread *thread = ((const struct thread_row *)row)->thread;
	bool has_name = thread->name[0] &&
			(thread->nr_threads == 1 || strcmp(thread->name, thread->earlier_name) == 0);
	const char *name = has_name ? thread->name : NULL;

	switch (column->index) {
	case TEXT_NAME:
		return value_text(name);
	case TEXT_WHO:
		if (thread->nr_threads == 1)
			return value_text(name);
		snprintf(text, sizeof(text), "%s%s%u threads", name ? name : "", name ? ": " : "",
			 thread->nr_threads);
		return value_text(text);
	default:
		return value_text(end_of(row, text, sizeof(text)));
	}
}

static const struct column columns[] = {
	{ "pid", "Pid", 0, get_who, WHO_PID },
	{ "rank", "Rank", COLUMN_SPARE, get_who, WHO_RANK },
	{ "program", "Program", COLUMN_LEFT, get_who, WHO_PROGRAM },
	{ "thread", "Thread", 0, get_who, WHO_TID },
	{ "thread_name", "Name", COLUMN_LEFT, get_text, TEXT_NAME },
	{ "threads", "Threads", COLUMN_SUMS, get_number, THREAD_SHARED },
	{ "begin_function", "Began with", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_function, CELL_NAME },
	{ "begin_ns", "Begin", COLUMN_SPARE, get_time, THREAD_BEGIN },
	{ "end_ns", "End", 0, get_time, THREAD_END },
	{ "duration_ns", "Lasted", 0, get_time, THREAD_DURATION },
	{ "end", "Ended", COLUMN_LEFT, get_text, TEXT_END },
	{ "calls", "Calls", COLUMN_SUMS, get_number, THREAD_CALLS },
	{ "open_calls", "Open", COLUMN_SUMS, get_number, THREAD_OPEN },
	{ "broken_calls", "Broken", COLUMN_SUMS, get_number, THREAD_BROKEN },
	{ "functions_ns", "Functions", COLUMN_SUMS, get_time, THREAD_FUNCTIONS },
	{ "functions_percent", "", COLUMN_SUMS | COLUMN_SPARE, get_share, 0 },
	{ "alloc_calls", "Allocs", COLUMN_SUMS, get_heap, CELL_ALLOC_CALLS },
	{ "alloc_bytes", "Alloc", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_ALLOC_BYTES },
	{ "free_calls", "Frees", COLUMN_SUMS, get_heap, CELL_FREE_CALLS },
	{ "freed_bytes", "Freed", COLUMN_SUMS, get_heap, CELL_FREED_BYTES },
	{ "live_bytes", "Allocated less freed", COLUMN_SUMS, get_heap, LIVE_BYTES },
	WHO_RUN_COLUMNS(get_who),
	{ "who", "Name", COLUMN_LEFT | COLUMN_TEXT, get_text, TEXT_WHO },
};

static const char *text_columns(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	bool has_ranks = false;

	for (size_t i = 0; i < model->nr_processes; i++)
		has_ranks |= model->processes[i]->header.rank >= 0;
	return document_text(
		document, "%s%sthread,who,begin_ns,duration_ns,%s%s%send,begin_function",
		model->nr_processes > 1 ? "pid," : "", has_ranks ? "rank," : "", model->calls ? "calls," : "",
		model->calls && report_has_times(report) ? "functions_ns,functions_percent," : "",
		report_has_heap(report) ? "alloc_bytes," : "");
}

/* Count the calls that were open when each thread ended. Only threads with open calls left such an event. */
static uint64_t *count_broken(const struct process *process)
{
	uint64_t *broken = xcalloc(process->nr_threads + 1, sizeof(*broken));

	for (size_t i = 0; i < process->nr_events; i++) {
		const struct event *event = &process->events[i];

		if (event->kind == LOG_EVENT_THREAD_END && event->thread)
			broken[event->thread->index] += event->values[0];
	}
	return broken;
}

static struct table_rows *list_threads(struct document *document, const struct model *model)
{
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct thread_row *list;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->nr_threads;
	rows->rows = list = document_new(document, (nr + 1) * sizeof(*list));
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		uint64_t *broken = count_broken(process);

		for (size_t j = 0; j < process->nr_threads; j++)
			if (!process->threads[j]->left_out)
				list[rows->nr_rows++] = (struct thread_row){ process->threads[j], broken[j] };
		free(broken);
	}
	return rows;
}

int view_threads(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = list_threads(document, report->model);
	uint64_t nr_threads = 0;

	for (size_t i = 0; i < rows->nr_rows; i++)
		nr_threads += ((const struct thread_row *)rows->rows)[i].thread->nr_threads;
	*table = (struct table){
		.name = "threads",
		.title = report->title,
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.text_columns = text_columns(document, report),
		.text_sort = !report->model->calls	? NULL
			     : report_has_times(report) ? "functions_ns"
							: "calls",
		.text_top = TEXT_THREADS,
		.row_bytes = sizeof(struct thread_row),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	if (nr_threads > rows->nr_rows) {
		table->what = document_text(
			document, rows->nr_rows == 1 ? "record of %llu threads" : "records of %llu threads",
			(unsigned long long)nr_threads);
		table->note = "later threads took the records of threads that had ended: begin is the "
			"first one's, end the last one's";
	}
	report_tell_runs(report, document, table);
	document_add_table(document, table);
	report_name_runs(report, document);
	return 0;
}
