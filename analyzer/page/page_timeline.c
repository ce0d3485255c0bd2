/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls over time. If they are too many for the page, calls shorter than some span of time are merged:
 * each span, thread and depth then has one entry with the number and the time of its calls, so sums stay
 * exact. The span doubles until everything fits. One pass over the log is enough, and memory does not grow
 * with the log.
 */
#include "analyzer/page/page.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/slices.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/code_paths.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/read/samples_read.h"

#define BYTES_PER_SPAN	6	/* in the page, roughly */
#define SPANS_MIN	1000	/* even in the smallest page */
#define SAMPLED_DEPTH	64	/* of stacks of samples; what is deeper is not shown */
#define SAMPLES_BREAK	2.5	/* so many intervals without a sample: the thread was elsewhere meanwhile */

/* One call, or several short ones merged. */
struct span {
	int64_t start;
	int64_t end;
	int64_t busy_ns;		/* sum of their durations */
	int64_t longest_ns;
	int64_t heap_delta_bytes;
	uint32_t node;			/* of the longest call */
	uint32_t nr_calls;
	bool is_mixed;			/* of several call paths */
	bool is_broken;
	bool is_open;			/* had not ended; lasts until its process was last seen */
	bool is_sampled;		/* samples in a row that were in the function; no call is known */
};

/* The calls of a thread at one depth of its stack. */
struct lane {
	uint32_t thread;
	uint32_t depth;
	struct span *spans;
	size_t nr_spans;
};

struct timeline {
	struct lane *lanes;
	size_t nr_lanes;
	uint32_t **lane_of;		/* [thread][depth]: index + 1 */
	uint32_t *nr_depths;		/* [thread] */
	size_t nr_spans;
	size_t nr_spans_max;
	/* shorter calls are merged; 0: none are; a power of two, 2^short_shift */
	int64_t short_ns;
	uint32_t short_shift;
	uint64_t nr_calls;
	uint64_t nr_samples;
};

/* The functions that samples of a thread were in, up to the newest one. */
struct sampled_thread {
	struct {
		const struct tree_node *node;
		int64_t start;
	} open[SAMPLED_DEPTH];
	uint32_t nr_open;
	int64_t end;
};

static struct lane *find_lane(struct timeline *timeline, uint32_t thread, uint32_t depth)
{
	uint32_t **lane_of = &timeline->lane_of[thread], *nr_depths = &timeline->nr_depths[thread];

	for (; *nr_depths <= depth; ++*nr_depths)
		*lane_of = xgrow(*lane_of, *nr_depths, sizeof(**lane_of));
	if (!(*lane_of)[depth]) {
		APPEND(timeline->lanes, timeline->nr_lanes) =
			(struct lane){ .thread = thread, .depth = depth };
		(*lane_of)[depth] = (uint32_t)timeline->nr_lanes;
	}
	return &timeline->lanes[(*lane_of)[depth] - 1];
}

static bool is_short(const struct timeline *timeline, const struct span *span)
{
	return span->nr_calls > 1 || span->longest_ns < timeline->short_ns;
}

static bool go_together(const struct timeline *timeline, const struct span *a, const struct span *b)
{
	return timeline->short_ns && is_short(timeline, b) && is_short(timeline, a) &&
	       a->start >> timeline->short_shift == b->start >> timeline->short_shift && b->start >= a->start;
}

static void merge(struct span *into, const struct span *span)
{
	into->is_mixed |= span->is_mixed || span->node != into->node;
	if (span->longest_ns > into->longest_ns) {
		into->longest_ns = span->longest_ns;
		into->node = span->node;
	}
	if (span->end > into->end)
		into->end = span->end;
	into->busy_ns += span->busy_ns;
	into->heap_delta_bytes += span->heap_delta_bytes;
	into->nr_calls += span->nr_calls;
	into->is_broken |= span->is_broken;
	into->is_open |= span->is_open;
	into->is_sampled |= span->is_sampled;
}

/* Merge calls that are now short. Return: how many spans are left */
static size_t merge_lane(const struct timeline *timeline, struct lane *lane)
{
	size_t nr = 0;

	for (size_t i = 0; i < lane->nr_spans; i++) {
		if (nr && go_together(timeline, &lane->spans[nr - 1], &lane->spans[i]))
			merge(&lane->spans[nr - 1], &lane->spans[i]);
		else
			lane->spans[nr++] = lane->spans[i];
	}
	return lane->nr_spans = nr;
}

/* Merge more calls. Return: false if that gained nothing, because each lane is hardly more than one span */
static bool make_room(struct timeline *timeline, size_t nr_spans_max)
{
	size_t before = timeline->nr_spans;

	while (timeline->nr_spans > nr_spans_max && timeline->short_ns < INT64_MAX / 4) {
		timeline->short_shift = timeline->short_ns ? timeline->short_shift + 1 : 10;
		timeline->short_ns = (int64_t)1 << timeline->short_shift;
		timeline->nr_spans = 0;
		for (size_t i = 0; i < timeline->nr_lanes; i++)
			timeline->nr_spans += merge_lane(timeline, &timeline->lanes[i]);
	}
	return timeline->nr_spans < before;
}

static void add_span(struct timeline *timeline, struct lane *lane, const struct span *span)
{
	timeline->nr_calls += !span->is_sampled;
	if (lane->nr_spans && go_together(timeline, &lane->spans[lane->nr_spans - 1], span)) {
		merge(&lane->spans[lane->nr_spans - 1], span);
		return;
	}
	APPEND(lane->spans, lane->nr_spans) = *span;
	if (++timeline->nr_spans > timeline->nr_spans_max)
		make_room(timeline, timeline->nr_spans_max / 4 * 3);
}

/* The calls of a coroutine that waits are left out: its thread was not in them. */
static void add_open_calls(struct timeline *timeline, const struct process *process)
{
	for (size_t i = 0; i < process->nr_stacks; i++) {
		const struct open_stack *stack = &process->stacks[i];

		for (size_t j = 0; j < stack->nr_calls && !stack->left; j++) {
			const struct open_call *call = &stack->calls[j];
			int64_t so_far_ns;
			struct span span;

			if (call->since == NO_TIME)
				continue;
			so_far_ns = llround(call->so_far_ns);
			span = (struct span){
				.start = call->since,
				.end = call->since + so_far_ns,
				.busy_ns = so_far_ns,
				.longest_ns = so_far_ns,
				.node = call->node->id,
				.nr_calls = 1,
				.is_open = true,
			};
			add_span(timeline,
				 find_lane(timeline, page_thread(stack->thread), tree_level(call->node)),
				 &span);
		}
	}
}

/* The functions deeper than @depth were left when the newest sample was over. */
static void close_sampled(struct timeline *timeline, const struct thread *thread,
			  struct sampled_thread *sampled, uint32_t depth)
{
	while (sampled->nr_open > depth) {
		const uint32_t at = --sampled->nr_open;
		const int64_t ns = sampled->end - sampled->open[at].start;

		add_span(timeline, find_lane(timeline, page_thread(thread), at),
			 &(struct span){
				 .start = sampled->open[at].start,
				 .end = sampled->end,
				 .busy_ns = ns,
				 .longest_ns = ns,
				 .node = sampled->open[at].node->id,
				 .nr_calls = 1,
				 .is_sampled = true,
			 });
	}
}

struct sampled_threads {
	struct timeline *timeline;
	struct sampled_thread *list;	/* [index of a thread] */
};

/* A sample of CPU time is of the time before it, one of time of that after it. */
static void add_sample(struct thread *thread, const struct log_sample *sample, uint64_t offset, void *context)
{
	const struct sampled_threads *threads = context;
	struct process *process = thread->process;
	struct sampled_thread *sampled = &threads->list[thread->index];
	struct tree_node *path = nodes_path(thread, sample->node);
	const int64_t time = process_time(process, sample->ticks), ns = llround(sample_ns(process, sample));
	const int64_t begin = process->header.samples_are_of_time ? time : time - ns, end = begin + ns;
	uint32_t level, same = 0;

	(void)offset;
	if (!path || sample->ticks > process->limit_ticks)
		return;
	path = sampled_code_path(thread, sample, path);
	threads->timeline->nr_samples++;
	if ((double)(begin - sampled->end) > SAMPLES_BREAK * (double)process->header.sample_interval_ns)
		close_sampled(threads->timeline, thread, sampled, 0);
	level = path->function ? tree_level(path) + 1 : 0;
	for (const struct tree_node *node = path; node && node->function;
	     node = node->starter ? NULL : node->parent) {
		const uint32_t at = tree_level(node);

		if (at < sampled->nr_open && sampled->open[at].node == node && at + 1 > same)
			same = at + 1;
	}
	close_sampled(threads->timeline, thread, sampled, same);
	for (const struct tree_node *node = path; node && node->function;
	     node = node->starter ? NULL : node->parent) {
		const uint32_t at = tree_level(node);

		if (at >= same && at < SAMPLED_DEPTH) {
			sampled->open[at].node = node;
			sampled->open[at].start = sampled->end > begin ? sampled->end : begin;
		}
	}
	sampled->nr_open = level < SAMPLED_DEPTH ? level : SAMPLED_DEPTH;
	sampled->end = end > sampled->end ? end : sampled->end;
}

/* Functions that are known by samples alone last as long as samples in a row were in them. */
static void read_samples(struct timeline *timeline, struct process *process)
{
	struct sampled_threads threads = {
		timeline,
		xcalloc(process->nr_threads + 1, sizeof(*threads.list)),
	};

	logfile_use(process->log);
	samples_each(process, add_sample, &threads);
	for (size_t i = 0; i < process->nr_threads; i++)
		close_sampled(timeline, process->threads[i], &threads.list[process->threads[i]->index], 0);
	free(threads.list);
}

static void read_calls(struct timeline *timeline, struct process *process)
{
	struct slice_reader *reader = slices_open_process(process);
	struct slice slice;

	while (slices_next(reader, &slice)) {
		int64_t duration_ns = llround(slice.duration_ns);
		struct span span = {
			.start = slice.start, .end = slice.start + duration_ns,
			.busy_ns = duration_ns, .longest_ns = duration_ns,
			.heap_delta_bytes = slice.heap_delta_bytes,
			.node = slice.node->id, .nr_calls = 1, .is_broken = slice.broken,
		};

		add_span(timeline, find_lane(timeline, page_thread(slice.thread), tree_level(slice.node)),
			 &span);
	}
	slices_close(reader);
	add_open_calls(timeline, process);
}

static int by_place(const void *a, const void *b)
{
	const struct lane *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static double get_start(const struct span *span) { return (double)span->start; }
static double get_duration(const struct span *span) { return (double)(span->end - span->start); }
static double get_node(const struct span *span) { return span->node; }
static double get_others(const struct span *span) { return span->nr_calls - 1; }
static double get_idle(const struct span *span) { return (double)(span->end - span->start - span->busy_ns); }
static double get_heap(const struct span *span) { return (double)span->heap_delta_bytes; }
static double get_flags(const struct span *span)
{
	return span->is_mixed | span->is_broken << 1 | span->is_open << 2 | span->is_sampled << 3;
}

static const struct {
	const char *name;
	double (*get)(const struct span *span);
	unsigned int flags;
} columns[] = {
	{ "start_ns", get_start, SHEET_DELTA },
	{ "duration_ns", get_duration, 0 },
	{ "node", get_node, 0 },
	{ "other_calls", get_others, 0 },	/* calls merged into this one */
	{ "idle_ns", get_idle, 0 },		/* part of the duration that is between merged calls */
	{ "heap_delta_bytes", get_heap, 0 },
	/* 1: of several call paths, 2: broken, 4: open at the end, 8: by samples */
	{ "flags", get_flags, 0 },
};

static void add_spans(struct sheet *sheet, const struct timeline *timeline, double *values)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		size_t nr = 0;

		for (size_t j = 0; j < timeline->nr_lanes; j++)
			for (size_t k = 0; k < timeline->lanes[j].nr_spans; k++)
				values[nr++] = columns[i].get(&timeline->lanes[j].spans[k]);
		sheet_add_numbers(sheet, columns[i].name, values, nr, columns[i].flags);
	}
}

static void add_lanes(struct sheet *sheet, const struct timeline *timeline)
{
	double *values = xcalloc(3 * timeline->nr_lanes + 1, sizeof(*values));
	double *depths = values + timeline->nr_lanes, *sizes = depths + timeline->nr_lanes;

	for (size_t i = 0; i < timeline->nr_lanes; i++) {
		values[i] = timeline->lanes[i].thread;
		depths[i] = timeline->lanes[i].depth;
		sizes[i] = (double)timeline->lanes[i].nr_spans;
	}
	sheet_add_numbers(sheet, "lane_thread", values, timeline->nr_lanes, 0);
	sheet_add_numbers(sheet, "lane_depth", depths, timeline->nr_lanes, 0);
	sheet_add_numbers(sheet, "lane_spans", sizes, timeline->nr_lanes, 0);
	free(values);
}

static uint64_t count_merged(const struct timeline *timeline)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < timeline->nr_lanes; i++)
		for (size_t j = 0; j < timeline->lanes[i].nr_spans; j++)
			nr += timeline->lanes[i].spans[j].nr_calls > 1 ? timeline->lanes[i].spans[j].nr_calls
								       : 0;
	return nr;
}

static void fill_sheet(struct sheet *sheet, const struct timeline *timeline)
{
	double *values = xcalloc(timeline->nr_spans + 1, sizeof(*values));

	add_lanes(sheet, timeline);
	add_spans(sheet, timeline, values);
	json_object_set_new(sheet->about, "calls", json_integer((json_int_t)timeline->nr_calls));
	json_object_set_new(sheet->about, "samples", json_integer((json_int_t)timeline->nr_samples));
	json_object_set_new(sheet->about, "merged_calls", json_integer((json_int_t)count_merged(timeline)));
	json_object_set_new(sheet->about, "short_ns", json_integer(timeline->short_ns));
	free(values);
}

void page_add_timeline(struct page *page, size_t bytes_max)
{
	struct timeline timeline = {
		.lane_of = xcalloc(page->report->model->nr_threads + 1, sizeof(*timeline.lane_of)),
		.nr_depths = xcalloc(page->report->model->nr_threads + 1, sizeof(*timeline.nr_depths)),
		.nr_spans_max = bytes_max / BYTES_PER_SPAN + SPANS_MIN,
	};
	struct sheet *sheet = page_sheet(page, "timeline");

	for (size_t i = 0; i < page->report->model->nr_processes; i++)
		if (page->report->model->is_sampled)
			read_samples(&timeline, page->report->model->processes[i]);
		else
			read_calls(&timeline, page->report->model->processes[i]);
	if (timeline.nr_lanes)
		qsort(timeline.lanes, timeline.nr_lanes, sizeof(*timeline.lanes), by_place);
	for (size_t i = 0; i < timeline.nr_lanes; i++)
		qsort(timeline.lanes[i].spans, timeline.lanes[i].nr_spans, sizeof(struct span), by_start);
	fill_sheet(sheet, &timeline);
	while (sheet_pack(sheet) > bytes_max && timeline.nr_spans > SPANS_MIN &&
	       make_room(&timeline, timeline.nr_spans * 9 / 10 * bytes_max / sheet->packed_bytes)) {
		sheet_release(sheet);
		sheet_init(sheet, "timeline");
		fill_sheet(sheet, &timeline);
	}
	for (size_t i = 0; i < timeline.nr_lanes; i++)
		free(timeline.lanes[i].spans);
	for (uint32_t i = 0; i < page->report->model->nr_threads; i++)
		free(timeline.lane_of[i]);
	free(timeline.lanes);
	free(timeline.lane_of);
	free(timeline.nr_depths);
}
