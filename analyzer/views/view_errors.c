/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: how each process ended, worst first, and the calls that were open then. */
#include "analyzer/read/ends_read.h"
#include "analyzer/views/view_stacks.h"
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/cells/path_text.h"
#include "analyzer/cells/process_tree.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/tables/document.h"
#include "analyzer/views/errors_tables.h"

#define TEXT_PROCESSES	20
#define TEXT_STACKS	20

enum { END_PID, END_RANK, END_STATUS, END_AS_SIGNAL, END_CORE, END_TIME };

static struct value get_number(const struct column *column, const void *row)
{
	const struct member *member = *(const struct member *const *)row;

	switch (column->index) {
	case END_PID:
		return value_integer(UNIT_NONE, member->pid);
	case END_RANK:
		return member->first ? who_cell(member->first, NULL, WHO_RANK) : value_empty();
	case END_STATUS:
		return member->end_kind == END_EXIT ? value_integer(UNIT_NONE, member->end_status)
						    : value_empty();
	case END_AS_SIGNAL:
		return member->end_kind == END_SIGNAL ? value_integer(UNIT_NONE, member->end_status)
						      : value_empty();
	case END_CORE:
		return member->end_kind == END_SIGNAL ? value_integer(UNIT_NONE, member->core_dumped)
						      : value_empty();
	default:
		return member->end == NO_TIME ? value_empty() : value_integer(UNIT_NS, member->end);
	}
}

static struct value get_run(const struct column *column, const void *row)
{
	const struct member *member = *(const struct member *const *)row;

	return run_cell(member->model, member->run, column->index);
}

enum { TEXT_PROGRAM, TEXT_END, TEXT_ENDED };

static struct value get_text(const struct column *column, const void *row)
{
	static char text[256];	/* one cell is valid until the next row */
	const struct member *member = *(const struct member *const *)row;

	if (column->index == TEXT_PROGRAM)
		return value_text(member_program(member));
	if (member->last && (column->index == TEXT_END || member->end_kind != END_SILENT))
		return value_text(process_end_text(member->last, text, sizeof(text)));
	return value_text(member_end_text(member, text, sizeof(text)));
}

static bool is_bad(const void *row)
{
	const struct member *member = *(const struct member *const *)row;

	return member_is_killed(member) || member_has_failed(member);
}

static const struct column end_columns[] = {
	{ "pid", "Pid", 0, get_number, END_PID },
	{ "rank", "Rank", COLUMN_SPARE, get_number, END_RANK },
	{ "program", "Program", COLUMN_LEFT, get_text, TEXT_PROGRAM },
	{ "end_ns", "After", 0, get_number, END_TIME },
	{ "end", "", COLUMN_LEFT, get_text, TEXT_END },
	{ "exit_status", "Status", 0, get_number, END_STATUS },
	{ "signal", "Signal", 0, get_number, END_AS_SIGNAL },
	{ "core_dumped", "Core", 0, get_number, END_CORE },
	WHO_RUN_COLUMNS(get_run),
	{ "ended", "Ended", COLUMN_LEFT | COLUMN_ROOM | COLUMN_TEXT, get_text, TEXT_ENDED },
};

/* An open call of a process that ended badly or runs; or a whole stack, whose newest call it is. */
struct open_row {
	const struct open_stack *stack;
	size_t number;			/* of the stack, from 1 */
	size_t depth;
	char *path;			/* NULL: only the call is shown */
};

static const struct open_call *call_of(const void *row)
{
	const struct open_row *of = row;

	return &of->stack->calls[of->depth];
}

static struct value get_waits(const struct column *column, const void *row)
{
	return value_integer(UNIT_NONE, ((const struct open_row *)row)->stack->left);
}

static struct value get_since(const struct column *column, const void *row)
{
	int64_t since = call_of(row)->since;

	return since == NO_TIME ? value_empty() : value_integer(UNIT_NS, since);
}

static struct value get_who(const struct column *column, const void *row)
{
	const struct thread *thread = ((const struct open_row *)row)->stack->thread;

	return who_cell(thread->process, thread, column->index);
}

static struct value get_open_for(const struct column *column, const void *row)
{
	return ns_cell(call_of(row)->so_far_ns);
}

static struct value get_function(const struct column *column, const void *row)
{
	struct function *function = call_of(row)->node->function;

	return function ? function_cell(function, column->index) : value_empty();
}

static const struct column open_columns[] = {
	{ "pid", "Pid", 0, get_who, WHO_PID },
	{ "program", "Program", COLUMN_LEFT, get_who, WHO_PROGRAM },
	{ "thread", "Thread", 0, get_who, WHO_TID },
	{ "thread_name", "Name", COLUMN_LEFT | COLUMN_SPARE, get_who, WHO_THREAD_NAME },
	{ "stack", "Stack", 0, MEMBER(struct open_row, number, UNIT_NONE) },
	{ "waits", "Waits", 0, get_waits, 0 },
	{ "depth", "Depth", 0, MEMBER(struct open_row, depth, UNIT_NONE) },
	{ "function", "Function", COLUMN_FUNCTION, get_function, CELL_NAME },
	{ "module", "Module", COLUMN_LEFT, get_function, CELL_MODULE },
	{ "file", "File", COLUMN_LEFT, get_function, CELL_FILE },
	{ "line", "Line", 0, get_function, CELL_LINE },
	{ "since_ns", "Since", 0, get_since, 0 },
	{ "open_ns", "For", 0, get_open_for, 0 },
	WHO_RUN_COLUMNS(get_who),
	{ "path", "In", COLUMN_LEFT | COLUMN_WRAPS | COLUMN_TEXT, MEMBER(struct open_row, path, 0) },
};

/* 0: exited with 0; a higher number is worse. */
static int badness(const struct member *member)
{
	if (member_is_killed(member))
		return 5;
	if (member_has_failed(member))
		return 4;
	if (member->end_kind == END_TURNED_OFF)
		return 3;
	return member->end_kind == END_EXIT || member->end_kind == END_EXEC ? 0
	       : member->end_kind == END_RUNNING			    ? 1
									    : 2;
}

static int worst_first(const void *a, const void *b)
{
	const struct member *x = *(const struct member *const *)a, *y = *(const struct member *const *)b;
	int order = badness(y) - badness(x);

	return order ? order : (x > y) - (x < y);
}

static const struct member **sort_members(struct document *document, const struct process_tree *tree)
{
	const struct member **list = document_new(document, (tree->nr + 1) * sizeof(struct member *));

	for (size_t i = 0; i < tree->nr; i++)
		list[i] = &tree->members[i];
	qsort(list, tree->nr, sizeof(struct member *), worst_first);
	return list;
}

/* A sentence is enough for one process; several have a table. */
static void add_lead(struct document *document, const struct member *const *list, size_t nr, size_t nr_bad)
{
	const struct member *worst = nr ? list[0] : NULL;
	char text[256];

	if (nr == 1 && worst->last && worst->end != NO_TIME)
		document_add(document, "Ended",
			     document_text(
				     document, "%s: %s, after %s%s", member_program(worst),
				     process_end_text(worst->last, text, sizeof(text)),
				     process_end_is_timed(worst->last) ? "" : "at least ",
				     document_number(document, UNIT_NS, worst->end - worst->begin)))
			->wraps = true;
	else if (!nr_bad)
		document_add(document, "Ended",
			     document_text(document, "%s with exit status 0",
					   document_count(document, nr, "process")));
	else
		document_add(document, "Ended", document_text(document,
			"%zu of %s did not end with exit status 0%s", nr_bad,
			document_count(document, nr, "process"), worst->end_kind != END_SILENT ? "" :
			"; unknown: SIGKILL, a raw exit or an exec"));
}

static void add_ends(struct document *document, const struct report *report, const struct member **list,
		     size_t nr)
{
	bool has_ranks = ranks_text(document, report->model)[0];
	size_t nr_bad = 0;

	while (nr_bad < nr && badness(list[nr_bad]) > 0)
		nr_bad++;
	add_lead(document, list, nr, nr_bad);
	report_tell_runs(report, document, document_add_table(document, &(struct table){
		.name = "ends",
		.what = "processes",
		TABLE_COLUMNS(end_columns),
		.text_columns = has_ranks ? "pid,rank,program,end_ns,ended" : "pid,program,end_ns,ended",
		.text_top = nr_bad < TEXT_PROCESSES ? nr_bad : TEXT_PROCESSES,
		.aside = true,
		.is_bad = is_bad,
		.rows = TABLE_ROWS(list, nr),
		.formats = (nr > 1 && nr_bad ? IN_TEXT : 0) | IN_CSV | IN_JSON,
	}));
}

/* If a process ended well, only the call that led to exit() would be open. */
static bool has_last_words(const struct member *member)
{
	return member->last && badness(member) > 0 && member->last->nr_stacks;
}

static void add_stack(struct document *document, struct table_rows *rows, const struct open_stack *stack,
		      size_t number, bool text)
{
	for (size_t depth = text ? stack->nr_calls - 1 : 0; depth < stack->nr_calls; depth++)
		document_add_row(document, rows, &(struct open_row){ stack, number, depth, text ?
			document_text(document, "%s%s", open_stack_text(document, stack),
				      stack->left ? " (waits as a coroutine)" : "") : NULL });
}

static struct table_rows list_open(struct document *document, const struct member *const *members,
				   size_t nr_members, bool text)
{
	struct table_rows rows = ROWS_OF(struct open_row);
	size_t number = 0;

	for (size_t i = 0; i < nr_members; i++)
		for (size_t j = 0; has_last_words(members[i]) && j < members[i]->last->nr_stacks; j++)
			add_stack(document, &rows, &members[i]->last->stacks[j], ++number, text);
	return rows;
}

static void add_open_calls(struct document *document, const struct report *report,
			   const struct member **members, size_t nr_members)
{
	bool text = strcmp(report->options->format, "text") == 0;
	struct table_rows rows = list_open(document, members, nr_members, text);

	report_tell_runs(report, document, document_add_table(document, &(struct table){
		.name = "open_calls",
		.what = "open stacks",
		.title = report->title,
		.note = "open calls of each thread when its process ended, or now; For: time in the newest "
			"of them",
		TABLE_COLUMNS(open_columns),
		.text_columns = report->model->nr_processes > 1 ? "pid,thread,thread_name,open_ns,path"
								: "thread,thread_name,open_ns,path",
		.text_top = TEXT_STACKS,
		.weight = "open_ns",
		.rows = rows,
		.formats = (rows.nr || !text ? IN_TEXT : 0) | IN_CSV | IN_JSON,
		.apart = true,
	}));
}

/* Threads that ended within calls, by pthread_exit() or pthread_cancel(). */
static void add_threads(struct document *document, const struct model *model)
{
	uint64_t nr_threads = 0, nr_calls = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_events; j++) {
			const struct event *event = &model->processes[i]->events[j];

			if (event->kind != LOG_EVENT_THREAD_END || !event->values[0])
				continue;
			nr_threads++;
			nr_calls += event->values[0];
		}
	if (nr_threads)
		document_add(document, "Threads", document_text(document, "%s ended within %s: -v threads",
			document_count(document, nr_threads, "thread"),
			document_count(document, nr_calls, "call")))->apart = true;
}

/* The record of INSIDEME_CRASH's handler. */
static void add_crashes(struct document *document, const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_events; j++) {
			const struct event *event = &model->processes[i]->events[j];
			const char *signal = sigabbrev_np((int)event->values[0]);
			char *code, cause[ERRORS_CAUSE_BYTES];

			if (event->kind != LOG_EVENT_CRASH)
				continue;
			errors_cause(event, cause, sizeof(cause));
			code = document_keep(document,
					     errors_code(event->process, event->ticks, event->values[3]));
			document_add(document, "Signal",
				     document_text(document, "SIG%s, %s, in thread %u of process %u, at %s",
						   signal ?: "?", cause,
						   event->thread ? event->thread->tid : 0,
						   model->processes[i]->header.pid, code))
				->wraps = true;
		}
}

int view_errors(struct document *document, struct report *report)
{
	const struct member **members;
	struct process_tree tree;

	process_tree_init(&tree, report->model);
	document_keep(document, tree.members);
	members = sort_members(document, &tree);
	add_ends(document, report, members, tree.nr);
	memory_limits_add(document, report);
	add_crashes(document, report->model);
	stacks_add_copies(document, report);
	add_open_calls(document, report, members, tree.nr);
	errors_tables(document, report);
	add_threads(document, report->model);
	report_name_runs(report, document);
	return 0;
}
