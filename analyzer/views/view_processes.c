/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of a run, each below the one that started it. */
#include "analyzer/read/ends_read.h"
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/process_rows.h"

/* in text, unless --top says otherwise; with more rows, processes that are alike share one */
#define TEXT_ROWS	40
#define INDENT_MAX	24	/* levels; deeper ones are not indented further */

enum { ROW_PID, ROW_PPID, ROW_RANK, ROW_BEGIN, ROW_END, ROW_THREADS, ROW_CALLS, ROW_FUNCTIONS, ROW_ALLOC,
	ROW_LOG, ROW_STATUS, ROW_SIGNAL };

static struct value get_who(const struct column *column, const void *row)
{
	const struct process_row *of = row;
	const struct member *member = of->member;

	if (of->nr_alike > 1)
		return value_empty();
	switch (column->index) {
	case ROW_PID:
		return value_integer(UNIT_NONE, member->pid);
	case ROW_PPID:
		return member->ppid ? value_integer(UNIT_NONE, member->ppid) : value_empty();
	default:
		return member->first ? who_cell(member->first, NULL, WHO_RANK) : value_empty();
	}
}

static struct value get_run(const struct column *column, const void *row)
{
	const struct member *member = ((const struct process_row *)row)->member;

	return run_cell(member->model, member->run, column->index);
}

static struct value get_time(const struct column *column, const void *row)
{
	const struct process_row *of = row;

	if (column->index == ROW_BEGIN)
		return of->member->unseen && !of->member->unseen->before ? value_empty() :
		       value_integer(UNIT_NS, of->member->begin);
	return of->member->end == NO_TIME ? value_empty() : value_integer(UNIT_NS, of->member->end);
}

static struct value get_peak(const struct column *column, const void *row)
{
	double bytes = ((const struct process_row *)row)->usage.peak_rss_bytes;

	return isnan(bytes) ? value_empty() : value_integer(UNIT_BYTES, (int64_t)bytes);
}

static bool has_heap(const struct process *process)
{
	return process && process->header.heap_bytes != LOG_HEAP_OFF;
}

static struct value get_recorded(const struct column *column, const void *row)
{
	const struct process_row *of = row;
	const struct process *process = of->member->last;

	if (!process)
		return value_empty();
	switch (column->index) {
	case ROW_THREADS:
		return value_integer(UNIT_COUNT, (int64_t)of->nr_threads);
	case ROW_CALLS:
		return (of->calls || process->header.has_hooks) && !isnan(of->functions_ns) ?
			value_integer(UNIT_COUNT, (int64_t)of->calls) : value_empty();
	case ROW_FUNCTIONS:
		return of->calls ? ns_cell(of->functions_ns) : value_empty();
	case ROW_ALLOC:
		return has_heap(process) ? value_integer(UNIT_BYTES, (int64_t)of->alloc_bytes)
					 : value_empty();
	default:
		return value_integer(UNIT_BYTES, (int64_t)of->log_bytes);
	}
}

static struct value get_status(const struct column *column, const void *row)
{
	const struct member *member = ((const struct process_row *)row)->member;

	if (member->end_kind != (column->index == ROW_SIGNAL ? END_SIGNAL : END_EXIT))
		return value_empty();
	return value_integer(UNIT_NONE, member->end_status);
}

static struct value get_core(const struct column *column, const void *row)
{
	const struct member *member = ((const struct process_row *)row)->member;

	return member->end_kind == END_SIGNAL ? value_integer(UNIT_NONE, member->core_dumped) : value_empty();
}

/* The command in one line, whatever its arguments contain; NULL: not known */
static char *command_line(const struct member *member)
{
	char *command = member->last && member->last->command[0] ? xstrdup(member->last->command) : NULL;

	for (char *p = command; p && *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	return command;
}

enum { TEXT_HOST, TEXT_PROGRAMS, TEXT_COMMAND, TEXT_END, TEXT_ENDED, TEXT_RECORDED };

static struct value get_text(const struct column *column, const void *row)
{
	static char text[256], *programs, *command;	/* one cell is valid until the next row */
	const struct member *member = ((const struct process_row *)row)->member;

	switch (column->index) {
	case TEXT_COMMAND:
		free(command);
		return value_text(command = command_line(member));
	case TEXT_HOST:
		return value_text(member->first ? member->first->header.host : NULL);
	case TEXT_PROGRAMS:
		free(programs);
		return value_text(programs = member_programs(member));
	case TEXT_RECORDED:
		return value_text(member_recorded(member));
	case TEXT_END:
		if (member->last)
			return value_text(process_end_text(member->last, text, sizeof(text)));
		return value_text(member_end_text(member, text, sizeof(text)));
	default:
		return value_text(member_end_text(member, text, sizeof(text)));
	}
}

/* The text behind the first word, which may be quoted. */
static const char *arguments(const char *command)
{
	char end = *command == '\'' ? *command++ : ' ';

	command = strchrnul(command, end);
	return *command == '\'' ? command + 1 : command;
}

/* "cc -O2 -c a.c" for "/usr/bin/cc -O2 -c a.c"; or "cc x 30". Indented by two columns below its parent. */
static struct value get_line(const struct column *column, const void *row)
{
	static char *line;
	const struct process_row *of = row;
	char *programs = member_programs(of->member), *command = command_line(of->member);
	struct value value;

	free(line);
	if (of->nr_alike > 1)
		line = xasprintf("%s  x %zu", programs, of->nr_alike);
	else
		line = xasprintf("%s%s%s", programs, command ? arguments(command) : "",
				 of->member->unseen ? "  (not recorded)" : "");
	free(programs);
	free(command);
	value = value_text(line);
	value.indent = of->depth < INDENT_MAX ? of->depth : INDENT_MAX;
	return value;
}

static bool is_bad(const void *row)
{
	const struct member *member = ((const struct process_row *)row)->member;

	return member_is_killed(member) || member_has_failed(member);
}

static const struct column columns[] = {
	{ "pid", "Pid", 0, get_who, ROW_PID },
	{ "ppid", "Parent", 0, get_who, ROW_PPID },
	{ "depth", "Depth", 0, MEMBER(struct process_row, depth, UNIT_NONE) },
	{ "rank", "Rank", 0, get_who, ROW_RANK },
	{ "host", "Host", COLUMN_LEFT, get_text, TEXT_HOST },
	{ "programs", "Programs", COLUMN_LEFT, get_text, TEXT_PROGRAMS },
	{ "command", "Command", COLUMN_LEFT, get_text, TEXT_COMMAND },
	{ "begin_ns", "Begin", COLUMN_SPARE, get_time, ROW_BEGIN },
	{ "end_ns", "End", 0, get_time, ROW_END },
	{ "duration_ns", "Lasted", 0, MEMBER_NS(struct process_row, longest_ns) },
	{ "end", "", COLUMN_LEFT, get_text, TEXT_END },
	{ "exit_status", "Status", 0, get_status, ROW_STATUS },
	{ "signal", "Signal", 0, get_status, ROW_SIGNAL },
	{ "core_dumped", "Core", 0, get_core, 0 },
	{ "cpu_ns", "CPU", COLUMN_SUMS, MEMBER_NS(struct process_row, usage.cpu_ns) },
	{ "user_ns", "User", COLUMN_SUMS, MEMBER_NS(struct process_row, usage.user_ns) },
	{ "system_ns", "System", COLUMN_SUMS, MEMBER_NS(struct process_row, usage.system_ns) },
	{ "peak_rss_bytes", "Peak RSS", 0, get_peak, 0 },
	{ "threads", "Threads", COLUMN_SUMS | COLUMN_SPARE, get_recorded, ROW_THREADS },
	{ "calls", "Calls", COLUMN_SUMS, get_recorded, ROW_CALLS },
	{ "functions_ns", "Functions", COLUMN_SUMS, get_recorded, ROW_FUNCTIONS },
	{ "alloc_bytes", "Alloc", COLUMN_SUMS, get_recorded, ROW_ALLOC },
	{ "log_bytes", "Log", COLUMN_SUMS | COLUMN_SPARE, get_recorded, ROW_LOG },
	{ "recorded", "Recorded", COLUMN_LEFT | COLUMN_SPARE, get_text, TEXT_RECORDED },
	WHO_RUN_COLUMNS(get_run),
	{ "ended", "Ended", COLUMN_LEFT | COLUMN_TEXT, get_text, TEXT_ENDED },
	{ "process", "Process", COLUMN_LEFT | COLUMN_ROOM | COLUMN_TEXT, get_line, 0 },
};

/* With ranks and hosts if there are any, and calls if functions were recorded. */
static const char *text_columns(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	bool has_hosts = false;

	for (size_t i = 0; i < model->nr_processes; i++)
		has_hosts |= strcmp(model->processes[i]->header.host, model->processes[0]->header.host) != 0;
	return document_text(document,
			     "pid,%s%sbegin_ns,duration_ns,cpu_ns,peak_rss_bytes,threads,%slog_bytes,ended,"
			     "recorded,process",
			     report_has_ranks(report) ? "rank," : "", has_hosts ? "host," : "",
			     model->calls ? "calls," : "");
}

static void flatten(struct process_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		rows[i].depth = 0;
}

static const char *silent_note(struct document *document, const struct model *model, const char *note)
{
	static const char text[] = "no word: Lasted is until the last record";

	for (size_t i = 0; i < model->nr_processes; i++)
		if (!process_end_is_timed(model->processes[i]))
			return note ? document_text(document, "%s; %s", note, text) : text;
	return note;
}

/* A tree, unless another order is asked for. In long text, processes that are alike share a row. */
static void choose_rows(struct table *table, struct document *document, struct report *report)
{
	struct table_rows *rows = &table->rows;
	const struct options *options = report->options;
	bool text = strcmp(options->format, "text") == 0, folded;
	struct process_tree tree;
	struct process_row *list;
	size_t top = options->top_given ? options->top : text ? TEXT_ROWS : 0;

	process_tree_init(&tree, report->model);
	folded = table->fixed && text && !options->top_given && tree.nr > TEXT_ROWS;
	list = process_rows(&tree, folded, &rows->nr);
	if (!table->fixed)
		flatten(list, rows->nr);
	if (rows->nr < tree.nr) {
		table->what = document_text(document, "rows of %zu processes", tree.nr);
		table->note = "x N: N alike: the sum of their CPU, threads and calls, the longest time, "
			"the largest peak; --top 0: each";
	}
	table->note = silent_note(document, report->model, table->note);
	if (table->fixed && top)
		table->nr_left_out = process_rows_limit(list, &rows->nr, top);
	rows->list = document_keep(document, list);
	document_keep(document, tree.members);
}

int view_processes(struct document *document, struct report *report)
{
	struct table table = {
		.name = "processes",
		.title = report->title,
		TABLE_COLUMNS(columns),
		.text_columns = text_columns(document, report),
		.text_top = TEXT_ROWS,
		.fixed = !report->options->sort && !report->options->match && !report->options->min_percent,
		.weight = "cpu_ns",
		.is_bad = is_bad,
		.rows = ROWS_OF(struct process_row),
	};

	choose_rows(&table, document, report);
	report_tell_runs(report, document, document_add_table(document, &table));
	report_name_runs(report, document);
	return 0;
}
