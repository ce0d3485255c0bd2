/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program reported by insideme.h: timers and regions by name, each run of a timer, marks and
 * failures. Counters are resources.
 */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/model/functions.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/read/nodes_read.h"

#define TEXT_ROWS 40

/* A timer of one process; or a region, of all. */
struct timer_row {
	const struct process *process;
	const struct timer_sum *timer; /* or NULL, and region is set */
	struct function *region;
	uint64_t moved_bytes; /* by the region and what it called */
};

struct said_row {
	const struct process *process;
	const struct mark *mark; /* or NULL, and span is set */
	const struct timer_span *span;
};

enum {
	TIMER_CALLS,
	TIMER_TOTAL,
	TIMER_MEAN,
	TIMER_PAUSED,
	TIMER_MIN,
	TIMER_MAX,
	TIMER_SELF,
	TIMER_STDDEV,
	TIMER_MOVED,
	TIMER_BANDWIDTH,
};

static struct value get_region(const struct timer_row *of, size_t index)
{
	static const enum stats_cell cells[] = {
		[TIMER_CALLS] = CELL_CALLS,   [TIMER_TOTAL] = CELL_TOTAL, [TIMER_MEAN] = CELL_MEAN,
		[TIMER_MIN] = CELL_MIN,	      [TIMER_MAX] = CELL_MAX,	  [TIMER_SELF] = CELL_SELF,
		[TIMER_STDDEV] = CELL_STDDEV,
	};
	const double total_ns = of->region->stats.total_ns;

	switch (index) {
	case TIMER_PAUSED:
		return value_empty();
	case TIMER_MOVED:
		return of->moved_bytes ? value_integer(UNIT_BYTES, (int64_t)of->moved_bytes) : value_empty();
	case TIMER_BANDWIDTH:
		return of->moved_bytes && total_ns > 0
			       ? value_real(UNIT_BYTES, (double)of->moved_bytes / total_ns * 1e9)
			       : value_empty();
	default:
		return stats_cell(&of->region->stats, cells[index]);
	}
}

static struct value get_timer(const struct column *column, const void *row)
{
	const struct timer_row *of = row;
	const struct timer_sum *timer = of->timer;

	if (!timer)
		return get_region(of, column->index);
	switch (column->index) {
	case TIMER_CALLS:
		return value_integer(UNIT_COUNT, (int64_t)timer->nr_spans);
	case TIMER_TOTAL:
		return ns_cell(timer->total_ns);
	case TIMER_MEAN:
		return value_real(UNIT_NS, timer->total_ns / (double)timer->nr_spans);
	case TIMER_PAUSED:
		return ns_cell(timer->paused_ns);
	case TIMER_MIN:
		return ns_cell(timer->min_ns);
	case TIMER_MAX:
		return ns_cell(timer->max_ns);
	default:
		return value_empty();
	}
}

static struct value get_owner(const struct column *column, const void *row)
{
	const struct timer_row *of = row;

	return of->process ? who_cell(of->process, NULL, column->index) : value_empty();
}

enum { TIMER_NAME, TIMER_KIND };

static struct value get_timer_text(const struct column *column, const void *row)
{
	const struct timer_row *of = row;

	if (column->index == TIMER_KIND)
		return value_text(of->timer ? "timer" : "region");
	return value_text(of->timer ? of->timer->name : of->region->region);
}

static const struct column timer_columns[] = {
	{ "total_ns", "Total", COLUMN_SUMS, get_timer, TIMER_TOTAL },
	{ "self_ns", "Self", COLUMN_SUMS | COLUMN_SPARE, get_timer, TIMER_SELF },
	{ "calls", "Calls", COLUMN_SUMS, get_timer, TIMER_CALLS },
	{ "mean_ns", "Mean", 0, get_timer, TIMER_MEAN },
	{ "stddev_ns", "Deviation", COLUMN_SPARE, get_timer, TIMER_STDDEV },
	{ "min_ns", "Min", COLUMN_SPARE, get_timer, TIMER_MIN },
	{ "max_ns", "Max", COLUMN_SPARE, get_timer, TIMER_MAX },
	{ "paused_ns", "Paused", COLUMN_SUMS | COLUMN_SPARE, get_timer, TIMER_PAUSED },
	{ "moved_bytes", "Moved", COLUMN_SPARE, get_timer, TIMER_MOVED },
	{ "moved_bytes_per_s", "Per second", COLUMN_SPARE, get_timer, TIMER_BANDWIDTH },
	{ "pid", "Pid", COLUMN_SPARE, get_owner, WHO_PID },
	{ "rank", "Rank", COLUMN_SPARE, get_owner, WHO_RANK },
	{ "kind", "Kind", COLUMN_LEFT | COLUMN_SPARE, get_timer_text, TIMER_KIND },
	{ "timer", "Timer", COLUMN_LEFT | COLUMN_ROOM, get_timer_text, TIMER_NAME },
};

enum { SAID_TIME, SAID_DURATION, SAID_PAUSED };

static const struct thread *thread_of(const struct said_row *of)
{
	return of->mark ? of->mark->thread : of->span->thread;
}

static int64_t time_of(const struct said_row *of)
{
	return of->mark ? of->mark->time : of->span->start;
}

static struct value get_said(const struct column *column, const void *row)
{
	const struct said_row *of = row;

	switch (column->index) {
	case SAID_TIME:
		return value_integer(UNIT_NS, time_of(of));
	case SAID_DURATION:
		return of->mark ? value_empty()
				: ns_cell((double)(of->span->end - of->span->start) - of->span->paused_ns);
	default:
		return of->mark ? value_empty() : ns_cell(of->span->paused_ns);
	}
}

static struct value get_who(const struct column *column, const void *row)
{
	return who_cell(((const struct said_row *)row)->process, thread_of(row), column->index);
}

enum { SAID_KIND, SAID_NAME, SAID_TEXT };

static const char *mark_kind(enum log_mark_kind kind)
{
	static const char *const kinds[] = {
		[LOG_MARK_INSTANT] = "mark",
		[LOG_MARK_FAILURE] = "failure",
		[LOG_MARK_SNAPSHOT] = "snapshot",
	};

	return kind < sizeof(kinds) / sizeof(*kinds) && kinds[kind] ? kinds[kind] : "mark";
}

static struct value get_said_text(const struct column *column, const void *row)
{
	const struct said_row *of = row;

	switch (column->index) {
	case SAID_KIND:
		return value_text(of->mark ? mark_kind(of->mark->kind) : "timer");
	case SAID_NAME:
		return value_text(of->mark ? of->mark->name : of->span->name);
	default:
		return value_text(of->mark ? of->mark->text : NULL);
	}
}

/* The function or region that was open then. */
static struct value get_function(const struct column *column, const void *row)
{
	const struct said_row *of = row;
	struct tree_node *node = thread_of(of) ? nodes_path((struct thread *)thread_of(of),
							    of->mark ? of->mark->node : of->span->node)
					       : NULL;

	return node && node->function ? function_cell(node->function, column->index) : value_empty();
}

static const struct column said_columns[] = {
	{ "time_ns", "At", 0, get_said, SAID_TIME },
	{ "kind", "What", COLUMN_LEFT, get_said_text, SAID_KIND },
	{ "duration_ns", "Took", 0, get_said, SAID_DURATION },
	{ "paused_ns", "Paused", COLUMN_SPARE, get_said, SAID_PAUSED },
	{ "pid", "Pid", COLUMN_SPARE, get_who, WHO_PID },
	{ "thread", "Thread", 0, get_who, WHO_TID },
	{ "function", "In", COLUMN_LEFT | COLUMN_NAME | COLUMN_SPARE, get_function, CELL_NAME },
	{ "name", "Name", COLUMN_LEFT | COLUMN_ROOM, get_said_text, SAID_NAME },
	{ "text", "Text", COLUMN_LEFT | COLUMN_SPARE, get_said_text, SAID_TEXT },
};

/* Of saved profiles, only the sums of timers are known. */
static const struct said *said_by(const struct process *process)
{
	static const struct said nothing;

	return process->said ? process->said : &nothing;
}

static struct timer_row *row_of_region(const struct table_rows *rows, const struct function *region)
{
	for (size_t i = 0; i < rows->nr_rows; i++)
		if (((struct timer_row *)rows->rows)[i].region == region)
			return (struct timer_row *)rows->rows + i;
	return NULL;
}

static bool is_below_itself(const struct tree_node *path)
{
	for (const struct tree_node *above = path->parent; above; above = above->parent)
		if (above->function == path->function)
			return true;
	return false;
}

/* To each region that was open; to one within itself once. */
static void add_moved(const struct table_rows *rows, const struct process *process,
		      const struct log_messages *moved)
{
	struct thread *thread = nodes_thread(process, moved->thread);
	const struct tree_node *path = thread ? nodes_path(thread, moved->node) : NULL;

	for (; path && path->function; path = path->parent) {
		struct timer_row *row = path->function->region ? row_of_region(rows, path->function) : NULL;

		if (row && !is_below_itself(path))
			row->moved_bytes += moved->bytes;
	}
}

static struct table_rows *list_timers(struct document *document, const struct model *model)
{
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct timer_row *list;
	size_t nr = model->nr_functions;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += said_by(model->processes[i])->nr_timers;
	rows->rows = list = document_new(document, (nr + 1) * sizeof(*list));
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < said_by(model->processes[i])->nr_timers; j++)
			list[rows->nr_rows++] =
				(struct timer_row){ .process = model->processes[i],
						    .timer = &said_by(model->processes[i])->timers[j] };
	for (size_t i = 0; i < model->nr_functions; i++) {
		struct function *function = model->functions[i];

		if (function->region && !function->wait && function->stats.calls &&
		    strcmp(function->region, REGION_OF_GAPS) != 0)
			list[rows->nr_rows++] = (struct timer_row){ .region = function };
	}
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_messages; j++)
			if (model->processes[i]->messages[j].direction == LOG_MESSAGE_MOVED)
				add_moved(rows, model->processes[i], &model->processes[i]->messages[j]);
	return rows;
}

/* Whether the thread is reported, and the time is within what was asked for. */
static bool is_shown(const struct report *report, const struct said_row *row)
{
	const struct thread *thread = thread_of(row);
	int64_t end = row->mark ? row->mark->time : row->span->end;

	return (!thread || !thread->left_out) &&
	       (!window_is_given(&report->options->window) ||
		(time_of(row) <= report->model->to && end >= report->model->from));
}

static void add_said(struct table_rows *rows, struct said_row *list, const struct report *report,
		     struct said_row row)
{
	if (is_shown(report, &row))
		list[rows->nr_rows++] = row;
}

static struct table_rows *list_said(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct said_row *list;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += said_by(model->processes[i])->nr_marks + said_by(model->processes[i])->nr_spans;
	rows->rows = list = document_new(document, (nr + 1) * sizeof(*list));
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < said_by(process)->nr_marks; j++)
			add_said(rows, list, report,
				 (struct said_row){ process, &said_by(process)->marks[j], NULL });
		for (size_t j = 0; j < said_by(process)->nr_spans; j++)
			add_said(rows, list, report,
				 (struct said_row){ process, NULL, &said_by(process)->spans[j] });
	}
	return rows;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = time_of(a), y = time_of(b);

	return (x > y) - (x < y);
}

int view_add_table(struct document *document, const struct report *report, struct table *table, const char *none)
{
	const struct table_rows *rows = table->source;

	table->title = report->title;
	table->text_top = TEXT_ROWS;
	table->next = table_next_row;
	table->formats = rows->nr_rows ? IN_TEXT | IN_CSV | IN_JSON : IN_CSV | IN_JSON;
	document_add_table(document, table);
	if (!rows->nr_rows)
		document_add(document, NULL, none)->wraps = true;
	return 0;
}

static int add_table(struct document *document, const struct report *report, struct table *table)
{
	return view_add_table(document, report, table,
			      document_text(document,
					    window_is_given(&report->options->window)
						    ? "no %s in that time"
						    : "no %s: a program makes them with insideme.h",
					    table->name));
}

/* What no row has is not shown. */
static const char *timer_text_columns(struct document *document, const struct table_rows *rows)
{
	const struct timer_row *list = rows->rows;
	bool have_regions = false, have_timers = false, have_moved = false;

	for (size_t i = 0; i < rows->nr_rows; i++) {
		have_regions |= list[i].region != NULL;
		have_timers |= list[i].timer != NULL;
		have_moved |= list[i].moved_bytes > 0;
	}
	return document_text(document, "total_ns,%scalls,mean_ns,%smin_ns,max_ns,%s%s%stimer",
			     have_regions ? "self_ns," : "", have_regions ? "stddev_ns," : "",
			     have_timers ? "paused_ns,pid,rank," : "",
			     have_moved ? "moved_bytes,moved_bytes_per_s," : "",
			     have_regions && have_timers ? "kind," : "");
}

int view_timers(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = list_timers(document, report->model);

	*table = (struct table){
		.name = "timers",
		.columns = timer_columns,
		.nr_columns = sizeof(timer_columns) / sizeof(*timer_columns),
		.data_columns =
			"timer,kind,pid,rank,calls,total_ns,self_ns,mean_ns,stddev_ns,min_ns,max_ns,"
			"paused_ns,"
			"moved_bytes,moved_bytes_per_s",
		.text_sort = "total_ns",
		.row_bytes = sizeof(struct timer_row),
		.text_columns = timer_text_columns(document, rows),
		.source = rows,
	};
	return add_table(document, report, table);
}

int view_marks(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = list_said(document, report);

	qsort((void *)rows->rows, rows->nr_rows, sizeof(struct said_row), by_time);
	*table = (struct table){
		.name = "marks",
		.columns = said_columns,
		.nr_columns = sizeof(said_columns) / sizeof(*said_columns),
		.data_columns = "time_ns,kind,name,text,duration_ns,paused_ns,pid,thread,function",
		.row_bytes = sizeof(struct said_row),
		.source = rows,
	};
	return add_table(document, report, table);
}
