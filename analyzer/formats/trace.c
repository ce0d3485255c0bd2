/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls on tracks. Which ones are shown is decided by a first pass, so that memory does not grow with the
 * log.
 */
#include "analyzer/formats/trace.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/calls/slices.h"
#include "analyzer/cells/events_table.h"
#include "analyzer/formats/export.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/selector.h"
#include "analyzer/model/tree_walk.h"

#define NR_BUCKETS	512		/* of durations: eight for each power of two */
#define HOOKS_TOLD	0.05		/* the name of a track says so from this part of its time on */

struct trace_thread {
	struct thread *thread;
	uint32_t tid;
	struct track **tracks;
	size_t nr_tracks;
	struct track *at;		/* where the last call began or ended */
};

/* ---- which calls are shown ---- */

struct bucket {
	uint64_t nr;
	uint64_t bytes;
};

static size_t bucket_of(double duration_ns)
{
	uint64_t ns = (uint64_t)duration_ns;
	unsigned int log = ns ? 63 - (unsigned int)__builtin_clzll(ns) : 0;

	return ns < 8 ? (size_t)ns : (size_t)(log - 2) * 8 + ((ns >> (log - 3)) & 7);
}

static double least_of(size_t bucket)
{
	return bucket < 8 ? (double)bucket : (double)((8 + (bucket & 7)) << (bucket / 8 - 1));
}

/* By --match and --filter, which sees a call as -v events does, with its duration. */
static bool is_wanted(const struct trace *trace, const struct call_event *begin)
{
	const char *pattern = trace->report->options->match;
	struct call_event call;

	if (pattern && !selector_matches(pattern, begin->node->function))
		return false;
	if (!trace->filter)
		return true;
	call = *begin;
	call.duration_ns = begin->lasts_ns;
	return row_filter_passes(trace->filter, &call);
}

static bool slice_is_wanted(const struct trace *trace, const struct slice *slice)
{
	const bool has_memory = slice->has_memory;

	return is_wanted(trace, &(struct call_event){
		.time = slice->start, .ticks = slice->start_ticks, .thread = slice->thread, .tid = slice->tid,
		.thread_name = slice->thread_name, .node = slice->node, .lasts_ns = slice->duration_ns,
		.memory = { has_memory ? (uint64_t)slice->rss_before_bytes : LOG_NONE,
			    has_memory ? (uint64_t)slice->vms_before_bytes : LOG_NONE },
	});
}

static bool is_inside(const struct model *model, int64_t start, double lasts_ns)
{
	return start <= model->to && (isnan(lasts_ns) || start + (int64_t)lasts_ns >= model->from);
}

static size_t bytes_of(const struct trace *trace, const struct tree_node *node)
{
	const struct trace_format *format = trace->format;

	return format->call_bytes + (format->name_bytes ? format->name_bytes(node->function) : 0);
}

/* Calls that were not timed have no place on a track. */
static bool open_is_inside(const struct trace *trace, const struct open_call *call)
{
	return call->start_ticks && is_inside(trace->model, call->since, NAN);
}

static bool open_is_wanted(const struct trace *trace, struct thread *thread, const struct open_call *call)
{
	return is_wanted(trace, &(struct call_event){
		.time = call->since, .ticks = call->start_ticks, .thread = thread, .tid = thread->tid,
		.thread_name = thread->name, .node = call->node, .lasts_ns = NAN, .memory = call->memory,
	});
}

static uint64_t open_bytes(struct trace *trace)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < trace->model->nr_processes; i++) {
		const struct process *process = trace->model->processes[i];

		for (size_t j = 0; j < process->nr_stacks; j++) {
			const struct open_stack *stack = &process->stacks[j];

			for (size_t k = 0; k < stack->nr_calls; k++) {
				if (!open_is_inside(trace, &stack->calls[k]))
					continue;
				trace->nr_calls++;
				if (!open_is_wanted(trace, stack->thread, &stack->calls[k]))
					continue;
				trace->nr_shown++;
				bytes += bytes_of(trace, stack->calls[k].node);
			}
		}
	}
	return bytes;
}

static void read_durations(struct trace *trace, struct bucket *buckets)
{
	struct slice_reader *reader = slices_open_all(trace->model);
	struct slice slice;

	while (slices_next(reader, &slice)) {
		struct bucket *bucket = &buckets[bucket_of(slice.duration_ns)];

		if (!is_inside(trace->model, slice.start, slice.duration_ns))
			continue;
		trace->nr_calls++;
		if (!slice_is_wanted(trace, &slice))
			continue;
		bucket->nr++;
		bucket->bytes += bytes_of(trace, slice.node);
	}
	slices_close(reader);
}

/* The longest calls that fit. Return: the first bucket of them, with their number in *@nr */
static size_t fit(const struct bucket *buckets, uint64_t bytes, size_t more_bytes, size_t room, uint64_t *nr)
{
	size_t i;

	*nr = 0;
	for (i = NR_BUCKETS; i > 0; i--) {
		bytes += buckets[i - 1].bytes + more_bytes * buckets[i - 1].nr;
		if (bytes > room)
			break;
		*nr += buckets[i - 1].nr;
	}
	return i;
}

static void choose(struct trace *trace, uint64_t bytes)
{
	size_t room = options_most_bytes(trace->report->options, trace->format->most_bytes), first;
	struct bucket buckets[NR_BUCKETS] = { { 0, 0 } };
	uint64_t nr;

	bytes += open_bytes(trace);
	read_durations(trace, buckets);
	first = fit(buckets, bytes, 0, room, &nr);
	if (first)
		first = fit(buckets, bytes, trace->format->left_out_bytes, room, &nr);
	trace->nr_shown += nr;
	trace->least_ns = first < NR_BUCKETS ? least_of(first) : INFINITY;
}

int trace_open(struct trace *trace, const struct report *report, const struct trace_format *format, void *to,
	       size_t taken_bytes)
{
	*trace = (struct trace){ .model = report->model, .report = report, .format = format, .to = to };
	if (model_has_saved(report->model))
		return error("a saved profile has sums only: -f %s needs logs", format->name), EXIT_FAILURE;
	if (report->options->row_filter) {
		trace->filter = row_filter_new(&events_table, report->options->row_filter);
		if (!trace->filter)
			return EXIT_USAGE;
	}
	choose(trace, taken_bytes);
	return 0;
}

/* ---- tracks ---- */

struct thread_key {
	const struct thread *thread;
	uint32_t tid;
};

static bool is_thread(const void *item, const void *key)
{
	const struct trace_thread *thread = item;
	const struct thread_key *wanted = key;

	return thread->thread == wanted->thread && thread->tid == wanted->tid;
}

static struct trace_thread *find_thread(struct trace *trace, const struct call_event *event)
{
	const struct thread_key key = { event->thread, event->tid };
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)key.thread, key.tid);

	if (trace->last && is_thread(trace->last, &key))
		return trace->last;
	trace->last = hashtable_find(&trace->threads, hash, is_thread, &key);
	if (trace->last)
		return trace->last;
	trace->last = xcalloc(1, sizeof(*trace->last));
	*trace->last = (struct trace_thread){ .thread = event->thread, .tid = event->tid };
	hashtable_add(&trace->threads, hash, trace->last);
	APPEND(trace->list, trace->nr_threads) = trace->last;
	return trace->last;
}

/* Which part of a thread's time in functions the hooks took. */
static double hooks_part(const struct thread *thread)
{
	const struct model *model = thread->process->model;
	double hooks_ns = model->calls ? model->hooks_ns / (double)model->calls * (double)thread->calls : 0;

	return hooks_ns > 0 ? hooks_ns / (hooks_ns + fmax(thread->functions_ns, 0)) : 0;
}

static char *name_of(const struct trace_thread *of, const char *thread_name)
{
	const struct function *function = thread_name[0] ? NULL : resolve_outermost(of->thread);
	const char *name = function ? export_name(function) : thread_name[0] ? thread_name : "thread";
	double part = hooks_part(of->thread);
	char hooks[48] = "", lane[32] = "";

	if (of->nr_tracks)
		snprintf(lane, sizeof(lane), ", stack %zu", of->nr_tracks + 1);
	if (part >= HOOKS_TOLD && !of->thread->process->model->is_raw)
		snprintf(hooks, sizeof(hooks), ", %.0f %% of its time is hooks", 100 * part);
	return xasprintf("%s%s%s", name, lane, hooks);
}

static struct track *new_track(struct trace *trace, struct trace_thread *of, const char *thread_name)
{
	struct track *track = xcalloc(1, sizeof(*track));

	*track = (struct track){
		.process = of->thread->process,
		.thread = of->thread,
		.pid = trace_pid(of->thread->process),
		.tid = of->tid,
		.lane = (uint32_t)of->nr_tracks,
		.number = trace->nr_tracks++,
		.name = name_of(of, thread_name),
	};
	APPEND(of->tracks, of->nr_tracks) = track;
	trace->format->track(trace->to, track);
	return track;
}

static bool has_room_for(const struct track *track, const struct tree_node *node)
{
	return track->nr_calls && tree_is_above(track->calls[track->nr_calls - 1].node, node->parent);
}

/* A call begins within its caller. If no record shows that, it begins on an empty track. */
static struct track *track_for(struct trace *trace, struct trace_thread *of, const struct call_event *event)
{
	if (of->at && has_room_for(of->at, event->node))
		return of->at;
	for (size_t i = 0; i < of->nr_tracks; i++)
		if (has_room_for(of->tracks[i], event->node))
			return of->tracks[i];
	for (size_t i = 0; i < of->nr_tracks; i++)
		if (!of->tracks[i]->nr_calls)
			return of->tracks[i];
	return new_track(trace, of, event->thread_name);
}

/* The place of an open call on a track, from the innermost on; nr_calls: it is not there. */
static size_t place_on(const struct track *track, const struct tree_node *node)
{
	for (size_t i = track->nr_calls; i-- > 0;)
		if (track->calls[i].node == node)
			return i;
	return track->nr_calls;
}

/*
 * The track of an open call. Its path can be open once on each track, so its start decides between several.
 */
static struct track *track_of(const struct trace_thread *of, const struct call_event *event, size_t *place)
{
	struct track *found = NULL;
	int64_t nearest = INT64_MAX;

	for (size_t i = 0; i < of->nr_tracks; i++) {
		size_t at = place_on(of->tracks[i], event->node);
		int64_t distance;

		if (at == of->tracks[i]->nr_calls)
			continue;
		distance = llabs(of->tracks[i]->calls[at].start - event->start);
		if (distance >= nearest)
			continue;
		nearest = distance;
		found = of->tracks[i];
		*place = at;
	}
	return found;
}

/* ---- begins and ends ---- */

static void begin(struct trace *trace, const struct track *track, const struct trace_call *call)
{
	if (call->is_shown && trace->format->begin)
		trace->format->begin(trace->to, track, call);
}

static void end(struct trace *trace, const struct track *track, const struct trace_call *call, int64_t time,
		enum trace_end how)
{
	if (call->is_shown)
		trace->format->end(trace->to, track, call, time > call->begin ? time : call->begin, how);
}

static void add_call(struct trace *trace, struct track *track, const struct call_event *event)
{
	struct trace_call *call;

	track->calls = xroom(track->calls, track->nr_calls, &track->room, sizeof(*call));
	call = &track->calls[track->nr_calls++];
	*call = (struct trace_call){
		.depth = (uint32_t)track->nr_calls - 1,
		.node = event->node,
		.start = event->time,
		.begin = event->time,
		.is_inside = is_inside(trace->model, event->time, event->lasts_ns),
	};
	call->is_shown = call->is_inside && is_wanted(trace, event) &&
			 (isnan(event->lasts_ns) || event->lasts_ns >= trace->least_ns);
	begin(trace, track, call);
}

/* Calls within a call that is not shown are counted in the next one that is. */
static void leave_out(struct track *track, const struct trace_call *call, int64_t time)
{
	struct trace_call *caller = track->nr_calls ? &track->calls[track->nr_calls - 1] : NULL;

	if (!caller || call->is_shown || !call->is_inside)
		return;
	caller->left_out_calls += call->left_out_calls + 1;
	if (caller->is_shown)
		caller->left_out_ns += (double)(time - call->start);
}

/* Calls above one that ends go on: they are cut there. */
static void end_call(struct trace *trace, struct track *track, size_t place, const struct call_event *event)
{
	struct trace_call call = track->calls[place];

	for (size_t i = track->nr_calls; i-- > place + 1;)
		end(trace, track, &track->calls[i], event->time, TRACE_IS_CUT);
	end(trace, track, &call, event->time, event->kind == CALL_BREAKS ? TRACE_BREAKS : TRACE_RETURNS);
	track->nr_calls--;
	for (size_t i = place; i < track->nr_calls; i++) {
		track->calls[i] = track->calls[i + 1];
		track->calls[i].depth--;
		track->calls[i].begin = event->time;
		track->calls[i].left_out_calls = 0;
		track->calls[i].left_out_ns = 0;
		begin(trace, track, &track->calls[i]);
	}
	if (place == track->nr_calls)
		leave_out(track, &call, event->time);
}

static void take(struct trace *trace, const struct call_event *event)
{
	struct trace_thread *of = find_thread(trace, event);
	size_t place = 0;

	if (event->kind == CALL_BEGINS) {
		of->at = track_for(trace, of, event);
		add_call(trace, of->at, event);
		return;
	}
	if (of->at && of->at->nr_calls && of->nr_tracks == 1 &&
	    of->at->calls[of->at->nr_calls - 1].node == event->node) {
		end_call(trace, of->at, of->at->nr_calls - 1, event);
		return;
	}
	of->at = track_of(of, event, &place);
	if (of->at)
		end_call(trace, of->at, place, event);
}

/* Calls of a killed program have no end. */
static void end_open(struct trace *trace, struct trace_thread *of)
{
	for (size_t i = 0; i < of->nr_tracks; i++)
		while (of->tracks[i]->nr_calls) {
			struct trace_call call = of->tracks[i]->calls[--of->tracks[i]->nr_calls];

			end(trace, of->tracks[i], &call, of->thread->process->last, TRACE_IS_OPEN);
		}
}

void trace_calls(struct trace *trace)
{
	struct call_events *events = call_events_new();
	struct call_event event;

	call_events_begin(events, trace->model, true);
	while (call_events_next(events, &event))
		if (event.node)
			take(trace, &event);
	for (size_t i = 0; i < trace->nr_threads; i++)
		end_open(trace, trace->list[i]);
	call_events_end(events);
	call_events_free(events);
}

static void free_tracks(struct trace_thread *of)
{
	for (size_t i = 0; i < of->nr_tracks; i++) {
		free(of->tracks[i]->name);
		free(of->tracks[i]->calls);
		free(of->tracks[i]);
	}
	free(of->tracks);
}

void trace_close(struct trace *trace)
{
	for (size_t i = 0; i < trace->nr_threads; i++)
		free_tracks(trace->list[i]);
	hashtable_release(&trace->threads);
	free(trace->list);
	row_filter_free(trace->filter);
}
