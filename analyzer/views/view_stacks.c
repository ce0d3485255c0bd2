/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each thread did at its last sample: its state, and the functions that were open, with lines. */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/system_calls.h"
#include "analyzer/cells/cells.h"
#include "analyzer/lines/lines.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/tree.h"
#include "analyzer/read/code_paths.h"
#include "analyzer/read/samples_read.h"

/* A function that is open. */
struct stack_row {
	const struct process *process;
	uint32_t tid;
	const char *thread_name;
	const char *state;
	const char *call;		/* the system call that it waits in; NULL: none */
	uint32_t number;		/* 0: the innermost one */
	struct function *function;	/* NULL: what called the one before is not known */
	bool is_inlined;
	const char *file;		/* NULL: not known */
	uint32_t line;			/* 0: not known */
	const char *head, *source;	/* for text: of the whole stack, in its first row; file and line */
};

struct stacks {
	struct document *document;
	struct table_rows rows;
};

static struct value get_who(const struct column *column, const void *row)
{
	return who_cell(((const struct stack_row *)row)->process, NULL, column->index);
}

static struct value get_function(const struct column *column, const void *row)
{
	const struct stack_row *of = row;
	struct value value;

	if (!of->function)
		return value_text(column->index == CELL_NAME ? "(not known)" : NULL);
	value = function_cell(of->function, column->index);
	if (column->index == CELL_NAME)
		value.apart = of->is_inlined ? "inlined" : of->function->apart;
	return value;
}

#define STACK(member, unit) MEMBER(struct stack_row, member, unit)

static const struct column columns[] = {
	{ "pid", "Pid", 0, get_who, WHO_PID },
	{ "program", "Program", COLUMN_LEFT, get_who, WHO_PROGRAM },
	{ "thread", "Thread", 0, STACK(tid, UNIT_NONE) },
	{ "thread_name", "Name", COLUMN_LEFT, STACK(thread_name, 0) },
	{ "state", "State", COLUMN_LEFT, STACK(state, 0) },
	{ "call", "In", COLUMN_LEFT, STACK(call, 0) },
	{ "frame", "#", 0, STACK(number, UNIT_NONE) },
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_function, CELL_NAME },
	{ "module", "Module", COLUMN_LEFT, get_function, CELL_MODULE },
	{ "file", "File", COLUMN_LEFT, STACK(file, 0) },
	{ "line", "Line", 0, STACK(line, UNIT_NONE | NOT_0) },
	{ "is_inlined", "Inlined", 0, STACK(is_inlined, UNIT_NONE) },
	{ "head", "Thread", COLUMN_LEFT | COLUMN_TEXT, STACK(head, 0) },
	{ "source", "Source", COLUMN_LEFT | COLUMN_TEXT, STACK(source, 0) },
};

/* ---- the rows ---- */

struct last_samples {
	struct log_sample *samples;	/* [index of a thread in its process]; ticks 0: none */
};

static void keep_last(struct thread *thread, const struct log_sample *sample, uint64_t offset, void *context)
{
	struct last_samples *last = context;

	(void)offset;
	if (sample->ticks >= last->samples[thread->index].ticks)
		last->samples[thread->index] = *sample;
}

static const char *state_of(const struct process *process, const struct log_sample *sample)
{
	static const char *const names[] = {
		[LOG_SAMPLE_RUNNING] = "running",
		[LOG_SAMPLE_READY] = "ready",
		[LOG_SAMPLE_WAITING] = "waiting",
		[LOG_SAMPLE_STOPPED] = "stopped",
	};

	return names[process->header.samples_are_of_time ? log_sample_state(sample->flags) : LOG_SAMPLE_RUNNING];
}

static const char *call_of(struct document *document, const struct process *process, const struct log_sample *sample)
{
	const int call = process->header.samples_are_of_time ? log_sample_call(sample->flags) : -1;

	if (call < 0)
		return NULL;
	return system_call_name(call) ?: document_text(document, "system call %d", call);
}

/* The function that was called, and those that are inlined at @place, the innermost first. */
static void add_place(struct stacks *stacks, struct stack_row *row, const struct code_place *place,
		      struct function *function)
{
	for (size_t i = place ? place->nr : 1; i-- > 0; row->number++) {
		row->is_inlined = i > 0;
		row->function = i ? place->levels[i].function : function;
		row->file = place ? place->levels[i].file : NULL;
		row->line = place ? place->levels[i].line : 0;
		row->source = row->file ? document_text(stacks->document, "%s:%u", path_base(row->file), row->line)
					: NULL;
		if (row->function && !row->function->name)
			resolve_ahead(&row->function, 1);
		document_add_row(stacks->document, &stacks->rows, row);
		row->head = NULL;
	}
}

static void add_stack(struct stacks *stacks, struct thread *thread, const struct log_sample *sample)
{
	struct process *process = thread->process;
	struct stack_row row = {
		.process = process,
		.tid = thread->tid,
		.thread_name = thread->name,
		.state = state_of(process, sample),
		.call = call_of(stacks->document, process, sample),
	};
	struct code_place *place = code_place_at(process, sample->pc_addr, sample->ticks);
	uint32_t ref = sample->node;
	struct log_node node;

	row.head = document_text(stacks->document, "%u %s, %s%s%s", row.tid, row.thread_name, row.state,
				 row.call ? ": " : "", row.call ?: "");
	while (logfile_node_index(process->log, ref) >= 0) {
		logfile_node(process->log, (uint64_t)ref << LOG_REF_SHIFT, &node);
		if (!node.function_addr)
			return;
		if (row.number)
			place = code_place_of(process, &node);
		if (node.function_addr & LOG_FUNCTION_OTHERS)
			add_place(stacks, &row, NULL, NULL);
		else
			add_place(stacks, &row, place,
				  function_find(&process->model->tables->functions, process,
						log_node_function(&node)));
		if (node.parent >= ref)
			return;
		ref = node.parent;
	}
}

static void add_process(struct stacks *stacks, struct process *process)
{
	struct last_samples last = { xcalloc(process->nr_threads + 1, sizeof(*last.samples)) };

	samples_each(process, keep_last, &last);
	for (size_t i = 0; i < process->nr_threads; i++)
		if (last.samples[i].ticks)
			add_stack(stacks, process->threads[i], &last.samples[i]);
	free(last.samples);
}

int view_stacks(struct document *document, struct report *report)
{
	struct stacks stacks = { document, ROWS_OF(struct stack_row) };
	const struct model *model = report->model;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (!model->processes[i]->is_saved && model->processes[i]->log && !model->processes[i]->entry_log)
			add_process(&stacks, model->processes[i]);
	document_add_table(document, &(struct table){
		.name = "stacks",
		.what = "functions",
		.title = report->title,
		.none = "there are no stacks: insideme-run --pid=PID --stacks, or --sample, takes them",
		TABLE_COLUMNS(columns),
		.text_columns = model->nr_processes > 1 ? "pid,head,frame,function,source"
							: "head,frame,function,source",
		.rows = stacks.rows,
	});
	return 0;
}
