/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each thread at its last sample, or when its process got a fatal signal: its state, and the
 * functions that were open, with lines.
 */
#include "analyzer/views/view_stacks.h"
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/system_calls.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/path_text.h"
#include "analyzer/lines/lines.h"
#include "analyzer/lines/stack_copies.h"
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
	{ "function", "Function", COLUMN_FUNCTION, get_function, CELL_NAME },
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

	if (sample->ticks >= last->samples[thread->index].ticks)
		last->samples[thread->index] = *sample;
}

static const char *state_of(uint16_t flags)
{
	static const char *const names[] = {
		[LOG_SAMPLE_RUNNING] = "running",
		[LOG_SAMPLE_READY] = "ready",
		[LOG_SAMPLE_WAITING] = "waiting",
		[LOG_SAMPLE_STOPPED] = "stopped",
	};

	return names[log_sample_state(flags)];
}

static const char *call_of(struct document *document, uint16_t flags)
{
	const int call = log_sample_call(flags);

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
		row->source =
			row->file ? document_text(stacks->document, "%s:%u", path_base(row->file), row->line)
				  : NULL;
		if (row->function && !row->function->name)
			resolve_ahead(&row->function, 1);
		document_add_row(stacks->document, &stacks->rows, row);
		row->head = NULL;
	}
}

static const char *head_of(struct document *document, const struct stack_row *row)
{
	return document_text(document, "%u %s, %s%s%s", row->tid, row->thread_name, row->state,
			     row->call ? ": " : "", row->call ?: "");
}

static void add_sample(struct stacks *stacks, struct thread *thread, const struct log_sample *sample)
{
	struct process *process = thread->process;
	const uint16_t flags = process->header.samples_are_of_time ? sample->flags : 0;
	struct stack_row row = {
		.process = process,
		.tid = thread->tid,
		.thread_name = thread->name,
		.state = state_of(flags),
		.call = call_of(stacks->document, flags),
	};
	struct code_place *place = code_place_at(process, sample->pc_addr, sample->ticks);
	uint32_t ref = sample->node;
	struct log_node node;

	row.head = head_of(stacks->document, &row);
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

static void add_samples(struct stacks *stacks, struct process *process)
{
	struct last_samples last = { xcalloc(process->nr_threads + 1, sizeof(*last.samples)) };

	samples_each(process, keep_last, &last);
	for (size_t i = 0; i < process->nr_threads; i++)
		if (last.samples[i].ticks)
			add_sample(stacks, process->threads[i], &last.samples[i]);
	free(last.samples);
}

/* ---- copies ---- */

#define ANY_REASON ~0u

/* The signal that a copy was made for; NULL: it is not in the log. */
static const struct event *signal_of(const struct stack_copy *copy)
{
	const struct event *last = NULL;

	for (size_t i = 0; i < copy->process->nr_events; i++)
		if (copy->process->events[i].kind == LOG_EVENT_CRASH &&
		    copy->process->events[i].ticks <= copy->ticks)
			last = &copy->process->events[i];
	return last;
}

static const char *signal_name(struct document *document, const struct stack_copy *copy)
{
	const struct event *event = signal_of(copy);
	const char *name = event ? sigabbrev_np((int)event->values[0]) : NULL;

	return name ? document_text(document, "SIG%s", name) : "signal";
}

static struct function *function_of(const struct stack_copy *copy, const struct unwind_frame *frame)
{
	struct process *process = copy->process;
	const struct module *module = module_at(process, frame->begin_addr, copy->ticks);

	return function_at(&process->model->tables->functions, module ? module->object : NULL, process,
			   frame->begin_addr - (module ? module->bias : 0));
}

static void add_copy(struct stacks *stacks, const struct stack_copy *copy)
{
	const bool is_beside = copy->reason == LOG_STACK_BESIDE;
	struct stack_row row = {
		.process = copy->process,
		.tid = copy->tid,
		.thread_name = document_text(stacks->document, "%s", copy->name),
		.state = is_beside			   ? state_of(copy->flags)
			 : copy->reason == LOG_STACK_MEMORY ? "allocating"
							    : signal_name(stacks->document, copy),
		.call = is_beside ? call_of(stacks->document, copy->flags) : NULL,
	};

	row.head = head_of(stacks->document, &row);
	for (size_t i = 0; i < copy->nr; i++)
		add_place(stacks, &row, code_place_at(copy->process, copy->frames[i].code_addr, copy->ticks),
			  function_of(copy, &copy->frames[i]));
	if (copy->is_cut)
		add_place(stacks, &row, NULL, NULL);
}

/* @reasons: a bit for each. */
static void add_copies(struct stacks *stacks, struct process *process, unsigned int reasons)
{
	size_t nr;
	struct stack_copy *copies = stack_copies_read(process, &nr);

	for (size_t i = 0; i < nr; i++)
		if (reasons >> copies[i].reason & 1)
			add_copy(stacks, &copies[i]);
	stack_copies_free(copies, nr);
}

static bool has_stacks(const struct process *process)
{
	return !process->is_saved && process->log && !process->entry_log;
}

/* The copy of the last signal, which ended the process. */
const char *stacks_crash_text(struct document *document, struct process *process)
{
	struct stacks stacks = { document, ROWS_OF(struct stack_row) };
	struct function **functions;
	const struct stack_row *rows;
	const char *text, *source = NULL;
	size_t end, nr = 0;

	if (has_stacks(process))
		add_copies(&stacks, process, 1u << LOG_STACK_SIGNAL);
	rows = stacks.rows.list;
	end = stacks.rows.nr;
	functions = xcalloc(end + 1, sizeof(*functions));
	while (end > nr && (!nr || !rows[end - nr].head)) {
		nr++;
		functions[nr - 1] = rows[end - nr].function;
		source = rows[end - nr].source ?: source;
	}
	text = nr ? functions_text(document, functions, nr) : NULL;
	free(functions);
	return source ? document_text(document, "%s, at %s", text, source) : text;
}

/* ---- tables ---- */

static void add_table(struct report *report, const struct stacks *stacks, const struct table *as)
{
	struct table table = *as;

	table.name = "stacks";
	table.what = "functions";
	table.title = report->title;
	table.columns = columns;
	table.nr_columns = sizeof(columns) / sizeof(*columns);
	table.text_columns = report->model->nr_processes > 1 ? "pid,head,frame,function,source" :
							       "head,frame,function,source";
	table.rows = stacks->rows;
	document_add_table(stacks->document, &table);
}

void stacks_add_copies(struct document *document, struct report *report)
{
	struct stacks stacks = { document, ROWS_OF(struct stack_row) };

	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (has_stacks(report->model->processes[i]))
			add_copies(&stacks, report->model->processes[i], ANY_REASON);
	add_table(report, &stacks, &(struct table){
		.note = "what threads were in at a fatal signal, or at INSIDEME_MAX_MEMORY: the innermost "
			"function first",
		.formats = (stacks.rows.nr ? IN_TEXT : 0) | IN_CSV | IN_JSON,
		.apart = true,
	});
}

/* Why functions are "(not known)". */
static const char *missing_note(struct document *document, const struct model *model)
{
	uint64_t cut = 0, traced = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		cut += model->processes[i]->header.losses[LOG_LOST_STACK_ENDS];
		traced += model->processes[i]->header.losses[LOG_LOST_TRACED];
	}
	if (!cut && !traced)
		return NULL;
	return document_text(document, "(not known): %s%s%s",
			     traced ? "a debugger or tracer has the thread, and lets nobody else stop it"
				    : "",
			     traced && cut ? "; or " : "",
			     cut ? "code without unwind tables, or a stack too deep" : "");
}

int view_stacks(struct document *document, struct report *report)
{
	struct stacks stacks = { document, ROWS_OF(struct stack_row) };

	for (size_t i = 0; i < report->model->nr_processes; i++) {
		struct process *process = report->model->processes[i];

		if (!has_stacks(process))
			continue;
		add_samples(&stacks, process);
		add_copies(&stacks, process, ANY_REASON);
	}
	add_table(report, &stacks, &(struct table){
		.note = missing_note(document, report->model),
		.none = "there are no stacks: insideme-run --pid --stacks, --sample or --crash takes them",
	});
	return 0;
}
