/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single calls, a row for each, as they come from the log: memory does not grow with their number. */
#include "analyzer/views/views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/slice_coverage.h"
#include "analyzer/calls/slices.h"
#include "analyzer/calls/thread_curves.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/events_table.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/fields.h"

#define TEXT_CALLS 20

struct call_source {
	struct model *model;
	struct slice_reader *reader;	/* NULL: at the start */
	struct nests *nests;		/* [thread_number()]; NULL: all calls are shown */
};

/* Calls of a thread that ended and whose caller did not: those of one caller are summed up. */
struct nest {
	const struct tree_node *caller;
	int64_t start;			/* of the first of them */
	double longest_ns;
};

struct nests {
	struct nest *list;
	size_t nr;
};

static struct value get_function(const struct column *column, const void *row)
{
	return function_cell(((const struct slice *)row)->node->function, column->index);
}

static struct value get_field(const struct column *column, const void *row)
{
	return value_text(((const struct slice *)row)->node->function->field);
}

static struct value get_depth(const struct column *column, const void *row)
{
	return value_integer(UNIT_NONE, tree_level(((const struct slice *)row)->node));
}

static struct value get_who(const struct column *column, const void *row)
{
	const struct slice *slice = row;

	if (column->index == WHO_TID)
		return value_integer(UNIT_NONE, slice->tid);
	if (column->index == WHO_THREAD_NAME)
		return value_text(slice->thread_name[0] ? slice->thread_name : NULL);
	return who_cell(slice->thread->process, NULL, column->index);
}

enum { HEAP_BEFORE, HEAP_AFTER, HEAP_DELTA };

/* A thread that frees blocks of another one may not know yet that they were allocated. */
static int64_t at_least_0(int64_t bytes)
{
	return bytes > 0 ? bytes : 0;
}

static struct value get_heap(const struct column *column, const void *row)
{
	const struct slice *slice = row;
	const int64_t bytes[] = {
		[HEAP_BEFORE] = at_least_0(slice->heap_before_bytes),
		[HEAP_AFTER] = at_least_0(slice->heap_after_bytes),
		[HEAP_DELTA] = slice->heap_delta_bytes,
	};

	if (!slice->has_heap)
		return value_empty();
	return value_integer(UNIT_BYTES, bytes[column->index]);
}

enum { MEMORY_RSS, MEMORY_VMS, MEMORY_AGE, AT_EXIT = 4 };

/* As the hooks read it at the call. */
static struct value get_own_memory(const struct column *column, const struct slice *slice)
{
	switch (column->index) {
	case MEMORY_RSS:
		return value_integer(UNIT_BYTES, slice->rss_before_bytes);
	case MEMORY_VMS:
		return value_integer(UNIT_BYTES, slice->vms_before_bytes);
	case MEMORY_RSS | AT_EXIT:
		return value_integer(UNIT_BYTES, slice->rss_after_bytes);
	case MEMORY_VMS | AT_EXIT:
		return value_integer(UNIT_BYTES, slice->vms_after_bytes);
	}
	return ns_cell(0);
}

/* The last reading before the call's entry or exit. The cells of a row ask for the same two. */
static struct value get_memory(const struct column *column, const void *row)
{
	static struct {
		const struct process *process;
		uint64_t ticks;
		bool known;
		struct memory_reading reading;
	} entry, exit, *last;
	const struct slice *slice = row;
	uint64_t ticks = column->index & AT_EXIT ? slice->end_ticks : slice->start_ticks, bytes;

	if (slice->has_memory)
		return get_own_memory(column, slice);
	last = column->index & AT_EXIT ? &exit : &entry;
	if (last->process != slice->thread->process || last->ticks != ticks) {
		last->process = slice->thread->process;
		last->ticks = ticks;
		last->known = process_memory_at(slice->thread->process, ticks, &last->reading);
	}
	if (!last->known)
		return value_empty();
	if ((column->index & 3) == MEMORY_AGE)
		return ns_cell(last->reading.age_ns);
	bytes = (column->index & 3) == MEMORY_RSS ? last->reading.rss_bytes : last->reading.vms_bytes;
	return bytes == LOG_NONE ? value_empty() : value_integer(UNIT_BYTES, (int64_t)bytes);
}

/* The threads of a model whose times were read. Kept, since formats ask for cells until the end. */
static struct {
	const struct model *model;
	struct thread_use *uses;	/* [thread_number()]; of the thread that uses it now */
} read_times;

static struct thread_use *times_of(const struct slice *slice)
{
	const struct model *model = slice->thread->process->model;
	struct thread_use *use;

	if (read_times.model != model) {
		read_times.model = model;
		read_times.uses = xcalloc(model->nr_threads + 1, sizeof(*read_times.uses));
	}
	use = &read_times.uses[thread_number(slice->thread)];
	if (use->tid != slice->tid) {
		if (use->tid)
			thread_use_close(use);
		thread_times_open(use, slice->thread, slice->tid);
	}
	return use;
}

enum { TIMES_CPU_NS, TIMES_WAIT_NS, TIMES_BLOCKED_NS, TIMES_DOUBT_NS };
#define DOUBT_MOST 0.25		/* of the call: beyond that its times are not known */

/* The thread's times during the call. All cells of a row ask for the same ones. */
static struct value get_times(const struct column *column, const void *row)
{
	static struct {
		const struct thread *thread;
		int64_t start, end;
		struct span_times times;
	} last;
	const struct slice *slice = row;
	const struct span_times *times = &last.times;

	if (last.thread != slice->thread || last.start != slice->start || last.end != slice->end) {
		last.thread = slice->thread;
		last.start = slice->start;
		last.end = slice->end;
		thread_times_between(times_of(slice), slice->start, slice->end, &last.times);
	}
	if (!(times->doubt_ns <= DOUBT_MOST * slice->duration_ns))
		return value_empty();
	switch (column->index) {
	case TIMES_CPU_NS:
		return ns_cell(times->cpu_ns);
	case TIMES_WAIT_NS:
		return ns_cell(times->wait_ns);
	case TIMES_BLOCKED_NS:
		return ns_cell(times->blocked_ns);
	}
	return ns_cell(times->doubt_ns);
}

static const struct column columns[] = {
	{ "start_ns", "Start", 0, MEMBER(struct slice, start, UNIT_NS) },
	{ "end_ns", "End", 0, MEMBER(struct slice, end, UNIT_NS) },
	{ "duration_ns", "Duration", 0, MEMBER_NS(struct slice, duration_ns) },
	{ "cpu_ns", "CPU", 0, get_times, TIMES_CPU_NS },
	{ "wait_ns", "Ready", COLUMN_SPARE, get_times, TIMES_WAIT_NS },
	{ "blocked_ns", "Blocked", 0, get_times, TIMES_BLOCKED_NS },
	{ "times_doubt_ns", COLUMN_ERROR, 0, get_times, TIMES_DOUBT_NS },
	{ "pid", "Pid", 0, get_who, WHO_PID },
	{ "rank", "Rank", COLUMN_SPARE, get_who, WHO_RANK },
	{ "nr_ranks", "Ranks", COLUMN_SPARE, get_who, WHO_NR_RANKS },
	{ "thread", "Thread", 0, get_who, WHO_TID },
	{ "thread_name", "Name", COLUMN_LEFT, get_who, WHO_THREAD_NAME },
	{ "function", "Function", COLUMN_FUNCTION, get_function, CELL_NAME },
	{ "module", "Module", COLUMN_LEFT, get_function, CELL_MODULE },
	{ "file", "File", COLUMN_LEFT, get_function, CELL_FILE },
	{ "line", "Line", 0, get_function, CELL_LINE },
	{ "field", "Field", COLUMN_LEFT | COLUMN_SPARE, get_field, 0 },
	{ "depth", "Depth", 0, get_depth, 0 },
	{ "heap_before_bytes", "Heap before", COLUMN_SPARE, get_heap, HEAP_BEFORE },
	{ "heap_after_bytes", "Heap after", COLUMN_SPARE, get_heap, HEAP_AFTER },
	{ "heap_delta_bytes", "Own change", 0, get_heap, HEAP_DELTA },
	{ "rss_at_entry_bytes", "RSS before", 0, get_memory, MEMORY_RSS },
	{ "vms_at_entry_bytes", "VMS before", 0, get_memory, MEMORY_VMS },
	{ "entry_age_ns", "Age before", 0, get_memory, MEMORY_AGE },
	{ "rss_at_exit_bytes", "RSS after", COLUMN_SPARE, get_memory, MEMORY_RSS | AT_EXIT },
	{ "vms_at_exit_bytes", "VMS after", 0, get_memory, MEMORY_VMS | AT_EXIT },
	{ "exit_age_ns", "Age after", 0, get_memory, MEMORY_AGE | AT_EXIT },
	{ "broken", "Broken", 0, MEMBER(struct slice, broken, UNIT_NONE) },
	/* adaptive timing: a call that was not timed, but was long by what its callees took */
	{ "at_most_longer_ns", "Longer by", 0, MEMBER_NS(struct slice, longer_ns) },
	WHO_RUN_COLUMNS(get_who),
	{ "source", "Source", COLUMN_LEFT | COLUMN_TEXT, get_function, CELL_SOURCE },
};

#define NEARLY_ALL 0.9

/* Did one callee take nearly all of its time? Then only that has a row: a stall has one, not one a caller. */
static bool is_passed_on(struct nests *nests, const struct slice *call)
{
	struct nest *top = nests->nr ? &nests->list[nests->nr - 1] : NULL;
	double longest_ns = 0;

	for (; top && top->start >= call->start; top = nests->nr ? top - 1 : NULL) {
		longest_ns = fmax(longest_ns, top->longest_ns);
		nests->nr--;
	}
	top = nests->nr ? &nests->list[nests->nr - 1] : NULL;
	if (top && top->caller == call->node->parent) {
		top->longest_ns = fmax(top->longest_ns, call->duration_ns);
	} else {
		APPEND(nests->list, nests->nr) =
			(struct nest){ call->node->parent, call->start, call->duration_ns };
	}
	return longest_ns > 0 && longest_ns >= NEARLY_ALL * call->duration_ns;
}

static void release_nests(struct call_source *source)
{
	for (size_t i = 0; source->nests && i < source->model->nr_threads; i++) {
		free(source->nests[i].list);
		source->nests[i] = (struct nests){ NULL, 0 };
	}
}

static bool next_call(struct table *table, void *row)
{
	struct call_source *source = table->source;
	struct slice *call = row;

	if (!source->reader) {
		source->reader = slices_open_all(source->model);
		if (source->model->from > 0)
			slices_seek(source->reader, source->model->from);
	}
	while (slices_next(source->reader, call)) {
		if (call->start > source->model->to)
			continue;
		if (!source->nests || !is_passed_on(&source->nests[thread_number(call->thread)], call))
			return true;
	}
	release_nests(source);
	slices_close(source->reader);
	source->reader = NULL;
	return false;
}

/*
 * Say how much the calls between two times cover: below the table, or on stderr, so that a file holds the
 * table alone.
 */
static const char *tell_coverage(struct document *document, const struct report *report)
{
	double percent = coverage_percent(report->model);
	char share[UNIT_TEXT_MAX];
	const char *text = isnan(percent) ? "no thread existed then" :
		document_text(document,
			"calls that ran then, in full length; they cover %s of the threads' time",
			      unit_format(share, UNIT_PERCENT, percent));

	if (strcmp(report->options->format, "text") != 0)
		fprintf(stderr, "insideme-report: %s\n", text);
	return text;
}

#define HEAP_NOTE \
	"Heap: of the process; Own change: what the thread of the call allocated, less what it freed"
#define SHORT_NOTE "callers that spent 90 % in one call are left out: -f csv has them"

/* Text for people, of whatever calls there are. */
static bool is_short(const struct options *options)
{
	return strcmp(options->format, "text") == 0 && !options->match && !options->row_filter &&
	       !window_is_given(&options->window);
}

static bool has_thread_times(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (process_rowset(model->processes[i], "thread"))
			return true;
	return false;
}

/* As many as are known. */
static const char *text_columns(struct document *document, const struct report *report)
{
	return document_text(document, "start_ns,duration_ns,%sthread,%srss_at_exit_bytes,function%s",
			     has_thread_times(report->model) ? "cpu_ns,wait_ns,blocked_ns," : "",
			     report_has_heap(report) ? "heap_before_bytes,heap_after_bytes,heap_delta_bytes,"
						     : "",
			     report_has_heap(report) ? "" : ",source");
}

int view_calls(struct document *document, struct report *report)
{
	struct call_source *source = document_new(document, sizeof(*source));
	struct table *table;

	source->model = report->model;
	fields_apply(report->model, report->options->fields);
	if (is_short(report->options))
		source->nests =
			document_new(document, (report->model->nr_threads + 1) * sizeof(*source->nests));
	table = document_add_table(document, &(struct table){
		.name = "calls",
		.title = report->title,
		.note = is_short(report->options) ? HEAP_NOTE "; " SHORT_NOTE : HEAP_NOTE,
		TABLE_COLUMNS(columns),
		.text_columns = text_columns(document, report),
		.text_sort = "duration_ns",
		.text_top = TEXT_CALLS,
		.rows = ROWS_OF(struct slice),
		.next = next_call,
		.source = source,
	});
	if (window_is_given(&report->options->window))
		table->note = tell_coverage(document, report);
	else
		events_tell_share(report->model, false);
	report_tell_runs(report, document, table);
	report_name_runs(report, document);
	return 0;
}
