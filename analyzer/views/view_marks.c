/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the program reported by insideme.h: timers by name, each run of a timer, marks and failures.
 * Counters are resources.
 */
#include "analyzer/views/views.h"

#include <stdlib.h>

#include "analyzer/cells/cells.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/read/nodes_read.h"

#define TEXT_ROWS 40

struct timer_row {
	const struct process *process;
	const struct timer_sum *timer;
};

struct said_row {
	const struct process *process;
	const struct mark *mark;	/* or NULL, and span is set */
	const struct timer_span *span;
};

enum { TIMER_PID, TIMER_RANK, TIMER_CALLS, TIMER_TOTAL, TIMER_MEAN, TIMER_PAUSED, TIMER_MIN, TIMER_MAX };

static struct value get_timer(const struct column *column, const void *row)
{
	const struct timer_row *of = row;
	const struct timer_sum *timer = of->timer;

	switch (column->index) {
	case TIMER_PID:
		return value_integer(UNIT_NONE, of->process->header.pid);
	case TIMER_RANK:
		return of->process->header.rank >= 0 ? value_integer(UNIT_NONE, of->process->header.rank)
						     : value_empty();
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
	default:
		return ns_cell(timer->max_ns);
	}
}

static struct value get_timer_name(const struct column *column, const void *row)
{
	(void)column;
	return value_text(((const struct timer_row *)row)->timer->name);
}

static const struct column timer_columns[] = {
	{ "total_ns", "Total", COLUMN_SUMS, get_timer, TIMER_TOTAL },
	{ "calls", "Calls", COLUMN_SUMS, get_timer, TIMER_CALLS },
	{ "mean_ns", "Mean", 0, get_timer, TIMER_MEAN },
	{ "min_ns", "Min", COLUMN_SPARE, get_timer, TIMER_MIN },
	{ "max_ns", "Max", COLUMN_SPARE, get_timer, TIMER_MAX },
	{ "paused_ns", "Paused", COLUMN_SUMS, get_timer, TIMER_PAUSED },
	{ "pid", "Pid", 0, get_timer, TIMER_PID },
	{ "rank", "Rank", COLUMN_SPARE, get_timer, TIMER_RANK },
	{ "timer", "Timer", COLUMN_LEFT | COLUMN_ROOM, get_timer_name, 0 },
};

enum { SAID_TIME, SAID_DURATION, SAID_PAUSED, SAID_PID, SAID_THREAD };

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
	case SAID_PAUSED:
		return of->mark ? value_empty() : ns_cell(of->span->paused_ns);
	case SAID_PID:
		return value_integer(UNIT_NONE, of->process->header.pid);
	default:
		return thread_of(of) ? value_integer(UNIT_NONE, thread_of(of)->tid) : value_empty();
	}
}

enum { SAID_KIND, SAID_NAME, SAID_TEXT };

static const char *mark_kind(enum log_mark_kind kind)
{
	static const char *const kinds[] = {
		[LOG_MARK_INSTANT] = "mark", [LOG_MARK_FAILURE] = "failure", [LOG_MARK_SNAPSHOT] = "snapshot",
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
	struct tree_node *node = thread_of(of) ?
		nodes_path((struct thread *)thread_of(of), of->mark ? of->mark->node : of->span->node) : NULL;

	return node && node->function ? function_cell(node->function, column->index) : value_empty();
}

static const struct column said_columns[] = {
	{ "time_ns", "At", 0, get_said, SAID_TIME },
	{ "kind", "What", COLUMN_LEFT, get_said_text, SAID_KIND },
	{ "duration_ns", "Took", 0, get_said, SAID_DURATION },
	{ "paused_ns", "Paused", COLUMN_SPARE, get_said, SAID_PAUSED },
	{ "pid", "Pid", COLUMN_SPARE, get_said, SAID_PID },
	{ "thread", "Thread", 0, get_said, SAID_THREAD },
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

static struct table_rows *list_timers(struct document *document, const struct model *model)
{
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct timer_row *list;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += said_by(model->processes[i])->nr_timers;
	rows->rows = list = document_new(document, (nr + 1) * sizeof(*list));
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < said_by(model->processes[i])->nr_timers; j++)
			list[rows->nr_rows++] =
				(struct timer_row){ model->processes[i],
						    &said_by(model->processes[i])->timers[j] };
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

static int add_table(struct document *document, struct report *report, struct table *table)
{
	const struct table_rows *rows = table->source;

	table->title = report->title;
	table->text_top = TEXT_ROWS;
	table->next = table_next_row;
	table->formats = rows->nr_rows ? IN_TEXT | IN_CSV | IN_JSON : IN_CSV | IN_JSON;
	document_add_table(document, table);
	if (!rows->nr_rows)
		document_add(document, NULL,
			     document_text(document,
					   window_is_given(&report->options->window)
						   ? "no %s in that time"
						   : "no %s: a program makes them with insideme.h",
					   table->name));
	return 0;
}

int view_timers(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));

	*table = (struct table){
		.name = "timers",
		.columns = timer_columns,
		.nr_columns = sizeof(timer_columns) / sizeof(*timer_columns),
		.data_columns = "timer,pid,rank,calls,total_ns,mean_ns,min_ns,max_ns,paused_ns",
		.text_sort = "total_ns",
		.row_bytes = sizeof(struct timer_row),
		.source = list_timers(document, report->model),
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
