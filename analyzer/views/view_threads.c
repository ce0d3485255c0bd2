/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads of a run: when each began and ended, and what it did. */
#include "analyzer/views/views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/cells.h"
#include "analyzer/model/resolve.h"
#include "analyzer/read/samples_read.h"
#include "analyzer/resources/time_curve.h"

#define TEXT_THREADS 40

struct thread_row {
	struct thread *thread;
	uint64_t broken_calls;		/* open when it ended, and closed by that */
	uint32_t nr_threads;
	uint64_t calls, open_calls;
	int64_t begin, end;
	double duration_ns, functions_ns;
};

/* Known only of the first of several. */
static struct value get_broken(const struct column *column, const void *row)
{
	const struct thread_row *of = row;

	return of->nr_threads > 1 ? value_empty() : value_integer(UNIT_COUNT, (int64_t)of->broken_calls);
}

static struct value get_who(const struct column *column, const void *row)
{
	const struct thread *thread = ((const struct thread_row *)row)->thread;

	return who_cell(thread->process, thread, column->index);
}

static struct value get_share(const struct column *column, const void *row)
{
	const struct thread_row *of = row;

	return share_cell(fmax(of->functions_ns, 0),
			  isnan(of->functions_ns) ? 0 : of->thread->process->model->functions_ns);
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
	struct function *function = resolve_outermost(((const struct thread_row *)row)->thread);

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
	case END_SILENT:
		return thread->process->was_left ? "ran on" : "killed";
	case END_EXIT:
		return "at exit";
	case END_EXEC:
		return "exec";
	case END_SIGNAL:
		return "killed";
	default:
		return "not known";
	}
}

enum { TIME_ON_CPU, TIME_READY, TIME_WAITING };

/* The kernel's counters of the first thread go on through an exec. So they do not begin with 0. */
static uint64_t before_ns(const struct thread *thread, const struct rowset *rows, const char *name)
{
	if (thread->tid != thread->process->header.pid)
		return 0;
	return strcmp(name, "thread_cpu_ns") == 0 ? thread->process->header.start_cpu_ns
						  : rowset_first(rows, name);
}

/* As the kernel counted it, at its last reading. NAN: not read, or the record is of several threads. */
static double counted_ns(const struct thread *thread, const char *name)
{
	const struct rowset *rows =
		thread->nr_threads == 1 ? thread_rowset(thread->process, "thread", thread->tid) : NULL;
	const uint64_t ns = rows && rowset_column(rows, name) >= 0 ? rowset_last(rows, name) : LOG_NONE;

	return ns == LOG_NONE ? NAN : fmax((double)ns - (double)before_ns(thread, rows, name), 0);
}

/* By samples of time, or else by the kernel. */
static struct value get_time(const struct column *column, const void *row)
{
	static const char *const names[] = { "thread_cpu_ns", "thread_wait_ns", "thread_blocked_ns" };
	const struct thread *thread = ((const struct thread_row *)row)->thread;

	if (!thread->process->header.samples_are_of_time)
		return ns_cell(counted_ns(thread, names[column->index]));
	return ns_cell(column->index == TIME_ON_CPU  ? thread->on_cpu_ns
		       : column->index == TIME_READY ? thread->ready_ns
						     : thread->waiting_ns);
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

#define THREAD(member, unit) MEMBER(struct thread_row, member, unit)
static const struct column columns[] = {
	{ "pid", "Pid", 0, get_who, WHO_PID },
	{ "rank", "Rank", COLUMN_SPARE, get_who, WHO_RANK },
	{ "program", "Program", COLUMN_LEFT, get_who, WHO_PROGRAM },
	{ "thread", "Thread", 0, get_who, WHO_TID },
	{ "thread_name", "Name", COLUMN_LEFT, get_text, TEXT_NAME },
	{ "threads", "Threads", COLUMN_SUMS, THREAD(nr_threads, UNIT_COUNT) },
	{ "begin_function", "Began with", COLUMN_FUNCTION, get_function, CELL_NAME },
	{ "begin_ns", "Begin", COLUMN_SPARE, THREAD(begin, UNIT_NS) },
	{ "end_ns", "End", 0, THREAD(end, UNIT_NS) },
	{ "duration_ns", "Lasted", 0, MEMBER_NS(struct thread_row, duration_ns) },
	{ "end", "Ended", COLUMN_LEFT, get_text, TEXT_END },
	{ "calls", "Calls", COLUMN_SUMS, THREAD(calls, UNIT_COUNT) },
	{ "open_calls", "Open", COLUMN_SUMS, THREAD(open_calls, UNIT_COUNT) },
	{ "broken_calls", "Broken", COLUMN_SUMS, get_broken, 0 },
	{ "functions_ns", "Functions", COLUMN_SUMS, MEMBER_NS(struct thread_row, functions_ns) },
	{ "functions_percent", "", COLUMN_SUMS | COLUMN_SPARE, get_share, 0 },
	{ "alloc_calls", "Allocs", COLUMN_SUMS, get_heap, CELL_ALLOC_CALLS },
	{ "alloc_bytes", "Alloc", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_ALLOC_BYTES },
	{ "free_calls", "Frees", COLUMN_SUMS, get_heap, CELL_FREE_CALLS },
	{ "freed_bytes", "Freed", COLUMN_SUMS, get_heap, CELL_FREED_BYTES },
	{ "live_bytes", "Allocated less freed", COLUMN_SUMS, get_heap, LIVE_BYTES },
	{ "on_cpu_ns", "On CPU", COLUMN_SUMS, get_time, TIME_ON_CPU },
	{ "ready_ns", "Ready", COLUMN_SUMS, get_time, TIME_READY },
	{ "waiting_ns", "Waiting", COLUMN_SUMS | COLUMN_WAITS, get_time, TIME_WAITING },
	WHO_RUN_COLUMNS(get_who),
	{ "who", "Name", COLUMN_LEFT | COLUMN_TEXT, get_text, TEXT_WHO },
};

static bool has_readings(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; j < model->processes[i]->nr_threads; j++)
			if (isfinite(counted_ns(model->processes[i]->threads[j], "thread_cpu_ns")))
				return true;
	return false;
}

static const char *text_columns(struct document *document, const struct report *report)
{
	const struct model *model = report->model;

	return document_text(document, "%s%sthread,who,begin_ns,duration_ns,%s%s%s%send,begin_function",
			     model->nr_processes > 1 ? "pid," : "", report_has_ranks(report) ? "rank," : "",
			     model->calls ? "calls," : "",
			     model->calls && report_has_times(report) ? "functions_ns,functions_percent,"
								      : "",
			     report_has_heap(report) ? "alloc_bytes," : "",
			     samples_know_waits(model) ? "on_cpu_ns,ready_ns,waiting_ns,"
			     : has_readings(model)     ? "on_cpu_ns,ready_ns,"
						       : "");
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

static struct thread_row row_of(struct thread *thread, uint64_t broken_calls)
{
	const struct process *process = thread->process;
	int64_t end = thread->end != NO_TIME ? thread->end : process->last;

	return (struct thread_row){
		.thread = thread,
		.broken_calls = broken_calls,
		.nr_threads = thread->nr_threads,
		.calls = thread->calls,
		.open_calls = thread->open_calls,
		.begin = thread->begin,
		.end = thread->end,
		.duration_ns = thread->begin == NO_TIME ? NAN : (double)(end - thread->begin),
		.functions_ns = process->header.timing == LOG_TIMING_COUNTS ? NAN : thread->functions_ns,
	};
}

static struct table_rows list_threads(struct document *document, const struct model *model)
{
	struct table_rows rows = ROWS_OF(struct thread_row);

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		uint64_t *broken = count_broken(process);

		for (size_t j = 0; j < process->nr_threads; j++) {
			struct thread_row row = row_of(process->threads[j], broken[j]);

			if (!row.thread->left_out)
				document_add_row(document, &rows, &row);
		}
		free(broken);
	}
	return rows;
}

int view_threads(struct document *document, struct report *report)
{
	struct table table = {
		.name = "threads",
		.title = report->title,
		TABLE_COLUMNS(columns),
		.text_columns = text_columns(document, report),
		.data_also = report_data_also(report) & COLUMN_WAITS,
		.text_sort = !report->model->calls	? NULL
			     : report_has_times(report) ? "functions_ns"
							: "calls",
		.text_top = TEXT_THREADS,
		.rows = list_threads(document, report->model),
	};
	uint64_t nr_threads = 0;

	for (size_t i = 0; i < table.rows.nr; i++)
		nr_threads += ((const struct thread_row *)table.rows.list)[i].nr_threads;
	if (nr_threads > table.rows.nr) {
		table.what = document_text(
			document, table.rows.nr == 1 ? "record of %llu threads" : "records of %llu threads",
			(unsigned long long)nr_threads);
		table.note = "later threads took the records of threads that had ended: begin is the "
			"first one's, end the last one's";
	}
	report_tell_runs(report, document, document_add_table(document, &table));
	report_name_runs(report, document);
	return 0;
}
