/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of the program by insideme.h: timers and regions by name, each run of a timer, marks and
 * failures. Counters are resources.
 */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/cells.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/read/nodes_read.h"

#define STAGE_MARK "stage " /* what names of stages begin with: insideme_stage_begin() */
#define TEXT_ROWS 40

/* A timer of one process; or a region, of all. */
struct timer_row {
	struct facts facts;		/* of the region */
	const struct process *process;
	const struct timer_sum *timer;	/* or NULL: a region */
	double mean_ns;			/* of a timer */
	uint64_t moved_bytes;		/* by the region and what it called */
	double bandwidth;		/* NAN: it moved nothing */
	const char *name, *kind;
	const struct function *stage;	/* of a region: the stage that it was in; NULL: none */
	const char *stage_name;		/* NULL: none */
};

struct said_row {
	const struct process *process;
	const struct mark *mark; /* or NULL, and span is set */
	const struct timer_span *span;
};

static struct value mean_of(const struct timer_sum *timer)
{
	return timer->nr_spans ? value_real(UNIT_NS, timer->total_ns / (double)timer->nr_spans)
			       : value_empty();
}

/* Logs of older versions do not know it. */
static struct value deviation_of(const struct timer_sum *timer)
{
	const double times = (double)timer->nr_spans;

	return timer->square_ns2 > 0
		       ? ns_cell(deviation_ns(times, timer->total_ns / times, timer->square_ns2))
		       : value_empty();
}

/* @column->index: of the number of a region; a timer has the same, or none. */
static struct value get_time(const struct column *column, const void *row)
{
	const struct timer_row *of = row;

	if (!of->timer)
		return facts_stats(column, row);
	switch ((enum stats_cell)column->index) {
	case CELL_CALLS:
		return value_integer(UNIT_COUNT, (int64_t)of->timer->nr_spans);
	case CELL_TOTAL:
		return ns_cell(of->timer->total_ns);
	case CELL_MEAN:
		return mean_of(of->timer);
	case CELL_STDDEV:
		return deviation_of(of->timer);
	case CELL_MIN:
		return ns_cell(of->timer->min_ns);
	case CELL_MAX:
		return ns_cell(of->timer->max_ns);
	case CELL_OPEN_CALLS:
		return value_integer(UNIT_COUNT, (int64_t)of->timer->nr_open);
	default:
		return value_empty();
	}
}

static struct value get_paused(const struct column *column, const void *row)
{
	const struct timer_sum *timer = ((const struct timer_row *)row)->timer;

	return timer ? ns_cell(timer->paused_ns) : value_empty();
}

static struct value get_open_for(const struct column *column, const void *row)
{
	const struct timer_row *of = row;

	return of->timer && of->timer->nr_open ? ns_cell((double)(of->process->last - of->timer->open_since))
					       : value_empty();
}

static const struct column timer_columns[] = {
	{ "total_ns", "Total", COLUMN_SUMS, get_time, CELL_TOTAL },
	{ "self_ns", "Self", COLUMN_SUMS | COLUMN_SPARE, get_time, CELL_SELF },
	{ "calls", "Calls", COLUMN_SUMS, get_time, CELL_CALLS },
	{ "mean_ns", "Mean", 0, get_time, CELL_MEAN },
	{ "stddev_ns", "Deviation", COLUMN_SPARE, get_time, CELL_STDDEV },
	{ "min_ns", "Min", COLUMN_SPARE, get_time, CELL_MIN },
	{ "max_ns", "Max", COLUMN_SPARE, get_time, CELL_MAX },
	{ "open", "Not stopped", COLUMN_SUMS | COLUMN_SPARE, get_time, CELL_OPEN_CALLS },
	{ "open_ns", "Since", COLUMN_SPARE, get_open_for, 0 },
	{ "moved_bytes", "Moved", COLUMN_SPARE, MEMBER(struct timer_row, moved_bytes, UNIT_BYTES | NOT_0) },
	{ "moved_bytes_per_s", "Per second", COLUMN_SPARE, MEMBER(struct timer_row, bandwidth, UNIT_BYTES) },
	{ "paused_ns", "Paused", COLUMN_SUMS | COLUMN_SPARE, get_paused, 0 },
	{ "pid", "Pid", COLUMN_SPARE, MEMBER_PROCESS(struct timer_row, process, WHO_PID) },
	{ "rank", "Rank", COLUMN_SPARE, MEMBER_PROCESS(struct timer_row, process, WHO_RANK) },
	{ "kind", "Kind", COLUMN_LEFT | COLUMN_SPARE, MEMBER(struct timer_row, kind, 0) },
	{ "stage", "Stage", COLUMN_LEFT, MEMBER(struct timer_row, stage_name, 0) },
	{ "timer", "Timer", COLUMN_LEFT | COLUMN_ROOM, MEMBER(struct timer_row, name, 0) },
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

/* Saved profiles have only the sums of timers. */
static const struct said *said_by(const struct process *process)
{
	static const struct said nothing;

	return process->said ? process->said : &nothing;
}

static bool is_stage(const struct function *function)
{
	return function->region && strncmp(function->region, STAGE_MARK, strlen(STAGE_MARK)) == 0;
}

/* The stage that the path is in, if it is no stage itself. */
static const struct function *stage_of(const struct tree_node *path)
{
	while ((path = path->parent) && path->function)
		if (is_stage(path->function))
			return path->function;
	return NULL;
}

/* In each stage a region has a row of its own. */
static struct timer_row *row_of_region(const struct table_rows *rows, const struct tree_node *path)
{
	const struct function *stage = stage_of(path);

	for (size_t i = 0; i < rows->nr; i++) {
		struct timer_row *row = (struct timer_row *)rows->list + i;

		if (row->facts.function == path->function && row->stage == stage)
			return row;
	}
	return NULL;
}

/* Add to each region that was open; to a region within itself only once. */
static void add_moved(const struct table_rows *rows, const struct process *process,
		      const struct log_messages *moved)
{
	struct thread *thread = nodes_thread(process, moved->thread);
	const struct tree_node *path = thread ? nodes_path(thread, moved->node) : NULL;

	for (; path && path->function; path = path->parent) {
		struct timer_row *row = path->function->region ? row_of_region(rows, path) : NULL;

		if (row && !tree_is_recursion(path))
			row->moved_bytes += moved->bytes;
	}
}

static void add_timers(struct document *document, struct table_rows *rows, const struct process *process)
{
	const struct said *said = said_by(process);

	for (size_t i = 0; i < said->nr_timers; i++)
		document_add_row(document, rows, &(struct timer_row){
			.process = process, .timer = &said->timers[i], .name = said->timers[i].name,
			.kind = "timer", .bandwidth = NAN });
}

static bool is_of_program(const struct function *function)
{
	return function->region && !function->wait && !function->made_up;
}

static struct timer_row *add_region(struct document *document, struct table_rows *rows,
				    const struct tree_node *path)
{
	const struct function *stage = stage_of(path);
	const size_t mark = strlen(STAGE_MARK);

	return document_add_row(document, rows, &(struct timer_row){
		.facts = { .function = path->function, .stats = NO_CALLS },
		.name = path->function->region + (is_stage(path->function) ? mark : 0),
		.kind = is_stage(path->function) ? "stage" : "region",
		.bandwidth = NAN,
		.stage = stage,
		.stage_name = stage ? stage->region + mark : NULL });
}

/* Within a region of its own, in one stage, the outer one's time counts. */
static void add_regions(struct document *document, struct table_rows *rows, const struct model *model)
{
	uint32_t *keys = xcalloc(model->nr_tree_nodes + 1, sizeof(*keys));	/* place of the row, plus 1 */
	struct tree_walk walk;

	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		struct timer_row *row = NULL;

		if (is_of_program(node->function) && path_stats(node).calls) {
			row = row_of_region(rows, node);
			row = row ? row : add_region(document, rows, node);
		}
		keys[node->id] = row ? (uint32_t)(row - (const struct timer_row *)rows->list) + 1 : 0;
	}
	tree_walk_begin(&walk, model, keys, rows->nr + 1);
	while (tree_walk_next(&walk)) {
		const struct call_stats stats = path_stats(walk.node);
		struct call_stats *sum = !keys[walk.node->id] ? NULL :
			&((struct timer_row *)rows->list)[keys[walk.node->id] - 1].facts.stats;

		if (sum)
			call_stats_add(sum, &stats);
		if (sum && walk.is_outermost)
			call_stats_add_total(sum, &stats);
	}
	free(keys);
}

static struct table_rows list_timers(struct document *document, const struct model *model)
{
	struct table_rows rows = ROWS_OF(struct timer_row);

	for (size_t i = 0; i < model->nr_processes; i++)
		add_timers(document, &rows, model->processes[i]);
	add_regions(document, &rows, model);
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_messages; j++)
			if (model->processes[i]->messages[j].direction == LOG_MESSAGE_MOVED)
				add_moved(&rows, model->processes[i], &model->processes[i]->messages[j]);
	for (size_t i = 0; i < rows.nr; i++) {
		struct timer_row *row = (struct timer_row *)rows.list + i;

		if (row->moved_bytes && row->facts.stats.total_ns > 0)
			row->bandwidth = (double)row->moved_bytes / row->facts.stats.total_ns * 1e9;
	}
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

static struct table_rows list_said(struct document *document, const struct report *report)
{
	struct table_rows rows = ROWS_OF(struct said_row);

	for (size_t i = 0; i < report->model->nr_processes; i++) {
		const struct process *process = report->model->processes[i];
		const struct said *said = said_by(process);

		for (size_t j = 0; j < said->nr_marks + said->nr_spans; j++) {
			const struct said_row row =
				j < said->nr_marks ? (struct said_row){ process, &said->marks[j], NULL }
						   : (struct said_row){ process, NULL,
									&said->spans[j - said->nr_marks] };

			if (is_shown(report, &row))
				document_add_row(document, &rows, &row);
		}
	}
	return rows;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = time_of(a), y = time_of(b);

	return (x > y) - (x < y);
}

static const char *none_of(struct document *document, const struct report *report, const char *what)
{
	return document_text(document, window_is_given(&report->options->window)
					       ? "no %s in that time"
					       : "no %s: a program makes them with insideme.h", what);
}

/* A column that no row fills is not shown, nor what all rows have in common. */
static const char *timer_text_columns(struct document *document, const struct model *model,
				      const struct table_rows *rows)
{
	const struct timer_row *list = rows->list;
	bool have_regions = false, have_timers = false, have_moved = false, have_open = false,
	     have_stages = false, have_pauses = false, have_ranks = false;

	for (size_t i = 0; i < rows->nr; i++) {
		have_regions |= list[i].facts.function != NULL;
		have_timers |= list[i].timer != NULL;
		have_moved |= list[i].moved_bytes > 0;
		have_open |= list[i].timer && list[i].timer->nr_open;
		have_pauses |= list[i].timer && list[i].timer->paused_ns > 0;
		have_ranks |= list[i].timer && list[i].process->header.rank >= 0;
		have_stages |= list[i].stage != NULL;
	}
	/* The last columns are left out first where there is no room. */
	return document_text(document, "total_ns,%scalls,mean_ns,%sstddev_ns,%smin_ns,max_ns,%s%s%s%s%stimer",
			     have_regions ? "self_ns," : "",
			     have_moved ? "moved_bytes,moved_bytes_per_s," : "",
			     have_open ? "open,open_ns," : "", have_pauses ? "paused_ns," : "",
			     have_timers && model->nr_processes > 1 ? "pid," : "", have_ranks ? "rank," : "",
			     have_regions && have_timers ? "kind," : "", have_stages ? "stage," : "");
}

int view_timers(struct document *document, struct report *report)
{
	struct table_rows rows = list_timers(document, report->model);

	document_add_table(document, &(struct table){
		.name = "timers",
		.title = report->title,
		TABLE_COLUMNS(timer_columns),
		.text_columns = timer_text_columns(document, report->model, &rows),
		.data_columns =
			"timer,kind,stage,pid,rank,calls,total_ns,self_ns,mean_ns,stddev_ns,min_ns,max_ns,"
			"paused_ns,open,open_ns,moved_bytes,moved_bytes_per_s",
		.text_sort = "total_ns",
		.text_top = TEXT_ROWS,
		.none = none_of(document, report, "timers"),
		.rows = rows,
	});
	return 0;
}

int view_marks(struct document *document, struct report *report)
{
	struct table_rows rows = list_said(document, report);

	table_rows_sort(&rows, by_time);
	document_add_table(document, &(struct table){
		.name = "marks",
		.title = report->title,
		TABLE_COLUMNS(said_columns),
		.data_columns = "time_ns,kind,name,text,duration_ns,paused_ns,pid,thread,function",
		.text_top = TEXT_ROWS,
		.none = none_of(document, report, "marks"),
		.rows = rows,
	});
	return 0;
}
