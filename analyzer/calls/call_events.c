/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Entries and exits, from slices, which come in the order of exits. Calls that end within a window of slices
 * are sorted there. Calls that begin in a window and end later are known from open frames, or from a look
 * ahead through the slices behind it.
 *
 * While a run goes on, a reading returns events up to the time at which the reading before it opened the log:
 * each call that had begun by then was either open when that reading looked at the frames, or has a slice by
 * now, which the look ahead finds. A process that has ended may have been read before its end, so it is
 * complete only in the next reading. Calls that ended in it after the last known instant of other processes
 * are also found by the look ahead.
 */
#include "analyzer/calls/call_events.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/call_order.h"
#include "analyzer/calls/callers.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/nodes_read.h"

#define WINDOW_CALLS	(64u << 10)
#define LATE_NS		1000	/* an event that comes later than this is not reported */
#define MISSED_MOST	2	/* readings in which a call is neither open nor has a slice: one, if it
				 * ends between the two looks */

struct call_events {
	struct callers callers;
	struct model *model;
	struct slice_reader *reader;
	int64_t until;			/* end of this reading */
	int64_t known_until;		/* when the open calls of the last process had been read: a call
					 * that was not open then ends before */
	bool is_last;
	bool has_looked_ahead;

	struct slice *calls; /* of the window: those that end in it, then those that only begin in it */
	size_t nr_calls, calls_room;
	struct call_moments moments;	/* their entries and exits */
	size_t at;

	uint64_t index;
	int64_t newest;
	uint64_t nr_lost;
	uint64_t nr_late;
};

struct call_events *call_events_new(void)
{
	struct call_events *events = xcalloc(1, sizeof(*events));

	events->newest = INT64_MIN + LATE_NS;
	return events;
}

void call_events_free(struct call_events *events)
{
	callers_release(&events->callers);
	free(events->calls);
	free(events->moments.list);
	free(events);
}

uint64_t call_events_nr_lost(const struct call_events *events)
{
	return events->nr_lost;
}

uint64_t call_events_nr_late(const struct call_events *events)
{
	return events->nr_late;
}

/* NULL: no events are read from it. */
static struct caller *caller_of(const struct call_events *events, const struct thread *thread)
{
	return events->callers.of[thread_number(thread)];
}

static void for_each_caller(struct call_events *events, void (*visit)(struct call_events *, struct caller *))
{
	for (size_t i = 0; i < events->callers.nr_logs; i++)
		for (size_t j = 0; j < events->callers.logs[i]->nr_callers; j++)
			if (events->callers.logs[i]->callers[j]->thread)
				visit(events, events->callers.logs[i]->callers[j]);
}

/* Forked children without a log have only the calls that they inherited. */
static bool has_calls(const struct process *process)
{
	return !process->parent && !process->is_saved;
}

/* The open calls whose entries were not returned yet. Those that were returned are kept. */
static void take_open_calls(const struct call_events *events, const struct process *process)
{
	for (size_t i = 0; i < process->nr_threads; i++) {
		struct caller *caller = caller_of(events, process->threads[i]);

		caller->nr_entered = caller->next_entered = 0;
	}
	for (size_t i = 0; i < process->nr_stacks; i++) {
		const struct open_stack *stack = &process->stacks[i];

		for (size_t j = 0; j < stack->nr_calls; j++) {
			const struct open_call *call = &stack->calls[j];
			struct caller *caller = caller_of(events, stack->thread);
			struct begun_call *begun = caller_find_begun(caller, call->start_ticks, call->ref);

			if (begun)
				begun->nr_missed = 0;
			else if (call->start_ticks)
				caller_add_entered(caller,
						   &(struct entered_call){ .start_ticks = call->start_ticks,
									   .ref = call->ref,
									   .tid = stack->thread->tid,
									   .depth = (uint32_t)j,
									   .lasts_ns = NAN,
									   .memory = call->memory });
		}
	}
}

static void sort_entered(struct call_events *events, struct caller *caller)
{
	caller_sort_entered(caller);
}

static void begin_process(struct call_events *events, struct process *process)
{
	struct known_log *log = callers_of(&events->callers, process);
	int64_t last = log->last == NO_TIME ? process->start : log->last;
	int64_t looked = log->last == NO_TIME ? process->start : log->looked;

	if (!events->is_last && !log->has_ended) {
		if (events->until > last)
			events->until = last;
	} else {
		looked = process->last;
		take_open_calls(events, process);
	}
	if (events->known_until < looked)
		events->known_until = looked;
}

static void find_place(struct slice_place *place, void *context)
{
	const struct caller *caller = caller_of(context, place->thread);

	if (!caller)
		return;
	place->chunk_offset = caller->places[place->stream].chunk_offset;
	place->nr_read = caller->places[place->stream].nr_read;
}

static void keep_place(const struct slice_place *place, void *context)
{
	struct caller *caller = caller_of(context, place->thread);

	if (!caller)
		return;
	caller->places[place->stream].chunk_offset = place->chunk_offset;
	caller->places[place->stream].nr_read = place->nr_read;
}

static struct slice_reader *open_reader(struct call_events *events)
{
	struct slice_reader *reader = slices_open_all(events->model);

	slices_go_on(reader, !events->is_last, find_place, events);
	return reader;
}

void call_events_begin(struct call_events *events, struct model *model, bool is_last)
{
	events->model = model;
	events->is_last = is_last;
	events->until = INT64_MAX;
	events->known_until = INT64_MIN;
	events->has_looked_ahead = false;
	events->moments.nr = events->at = 0;
	callers_begin(&events->callers, model);
	for (size_t i = 0; i < model->nr_processes; i++)
		if (has_calls(model->processes[i]))
			begin_process(events, model->processes[i]);
	for_each_caller(events, sort_entered);
	events->reader = open_reader(events);
}

static int64_t start_of(const struct slice *call)
{
	return process_time(call->thread->process, call->start_ticks);
}

static uint32_t depth_of(const struct tree_node *node)
{
	return node->function ? tree_level(node) : 0;
}

static struct log_memory_reading memory_of(const struct slice *call, bool at_exit)
{
	if (!call->has_memory)
		return (struct log_memory_reading){ LOG_NONE, LOG_NONE };
	return (struct log_memory_reading){
		(uint64_t)(at_exit ? call->rss_after_bytes : call->rss_before_bytes),
		(uint64_t)(at_exit ? call->vms_after_bytes : call->vms_before_bytes),
	};
}

/*
 * The slices behind the first window, which ends at @to: calls that end in a later window or reading than
 * they begin in. They are few: the calls open at the end of a window.
 */
static void look_ahead(struct call_events *events, int64_t to)
{
	int64_t last = events->known_until > events->until ? events->known_until : events->until;
	struct slice_reader *reader;
	struct slice slice;

	slices_each_place(events->reader, keep_place, events);
	reader = open_reader(events);
	for (size_t nr = 0; slices_next(reader, &slice) && slice.end <= last;) {
		struct caller *caller = caller_of(events, slice.thread);

		if (slice.end > events->until)
			to = events->until;
		if (caller && start_of(&slice) <= to &&
		    !caller_find_begun(caller, slice.start_ticks, slice.ref) &&
		    !caller_find_entered(caller, slice.start_ticks, slice.ref))
			caller_add_entered(caller, &(struct entered_call){ .start_ticks = slice.start_ticks,
				.ref = slice.ref, .tid = slice.tid, .depth = depth_of(slice.node),
				.lasts_ns = slice.duration_ns,
				.memory = memory_of(&slice, false) });
		if (++nr < WINDOW_CALLS)
			continue;
		nr = 0;
		to = slice.end;
	}
	slices_close(reader);
	for_each_caller(events, sort_entered);
	events->has_looked_ahead = true;
}

static void add_call(struct call_events *events, const struct slice *call)
{
	events->calls = xroom(events->calls, events->nr_calls, &events->calls_room, sizeof(*call));
	events->calls[events->nr_calls++] = *call;
}

/* The next window of slices. Return: the time of its end */
static int64_t read_window(struct call_events *events)
{
	const struct slice *next;
	struct slice slice;

	events->nr_calls = 0;
	while (events->nr_calls < WINDOW_CALLS && (next = slices_peek(events->reader)) &&
	       next->end <= events->until && slices_next(events->reader, &slice))
		add_call(events, &slice);
	next = slices_peek(events->reader);
	return next && next->end <= events->until ? events->calls[events->nr_calls - 1].end : events->until;
}

/* A call that ends. Its entry was returned before, or is now. */
static void add_ending(struct call_events *events, size_t i)
{
	struct slice *call = &events->calls[i];
	struct process *process = call->thread->process;
	struct caller *caller = caller_of(events, call->thread);
	struct begun_call *begun = caller ? caller_find_begun(caller, call->start_ticks, call->ref) : NULL;
	struct entered_call *entered =
		caller ? caller_find_entered(caller, call->start_ticks, call->ref) : NULL;

	if (caller)
		call_order_settle(caller, call);
	call_moments_add(&events->moments, process_time(process, call->end_ticks), i, true);
	if (begun) {
		caller_remove_begun(caller, begun);
		return;
	}
	if (entered)
		entered->is_given = true;
	call_moments_add(&events->moments, process_time(process, call->start_ticks), i, false);
}

/* The calls of one thread that begin until @to and end later. */
static void add_beginning(struct call_events *events, struct caller *caller, int64_t to)
{
	for (; caller->next_entered < caller->nr_sorted; caller->next_entered++) {
		const struct entered_call *entered = &caller->entered[caller->next_entered];
		struct slice call = {
			.thread = caller->thread,
			.tid = entered->tid,
			.thread_name = caller->thread->name,
			.start_ticks = entered->start_ticks,
			.ref = entered->ref,
			.duration_ns = entered->lasts_ns,
			.has_memory = entered->memory.rss_bytes != LOG_NONE,
			.rss_before_bytes = (int64_t)entered->memory.rss_bytes,
			.vms_before_bytes = (int64_t)entered->memory.vms_bytes,
		};

		if (entered->is_given)
			continue;
		call.start = start_of(&call);
		if (call.start > to)
			return;
		call.node = nodes_path(caller->thread, entered->ref);
		if (!call.node)
			continue;
		caller_add_begun(caller, entered->start_ticks, entered->ref);
		add_call(events, &call);
		call_moments_add(&events->moments, call.start, events->nr_calls - 1, false);
	}
}

static void begin_window(struct call_events *events, struct caller *caller)
{
	call_order_reset(caller);
}

/* Return: false if nothing is left of this reading */
static bool fill_window(struct call_events *events)
{
	int64_t to = read_window(events);

	if ((to < events->until || events->until < events->known_until) && !events->has_looked_ahead)
		look_ahead(events, to);
	events->moments.nr = events->at = 0;
	for_each_caller(events, begin_window);
	for (size_t i = 0, nr = events->nr_calls; i < nr; i++)
		add_ending(events, i);
	for (size_t i = 0; i < events->callers.nr_logs; i++)
		for (size_t j = 0; j < events->callers.logs[i]->nr_callers; j++)
			if (events->callers.logs[i]->callers[j]->thread)
				add_beginning(events, events->callers.logs[i]->callers[j], to);
	call_moments_sort(&events->moments, events->calls);
	return events->moments.nr;
}

bool call_events_next(struct call_events *events, struct call_event *event)
{
	const struct call_moment *moment;
	const struct slice *call;

	if (events->at == events->moments.nr && !fill_window(events))
		return false;
	moment = &events->moments.list[events->at++];
	call = &events->calls[moment->call];
	*event = (struct call_event){
		.kind = !moment->is_exit ? CALL_BEGINS : call->broken ? CALL_BREAKS : CALL_RETURNS,
		.index = events->index++,
		.ticks = moment->is_exit ? call->end_ticks : call->start_ticks,
		.time = moment->time,
		.thread = call->thread,
		.tid = call->tid,
		.thread_name = call->thread_name,
		.node = call->node,
		.duration_ns = moment->is_exit ? call->duration_ns : NAN,
		.lasts_ns = call->duration_ns,
		.start = start_of(call),
		.memory = memory_of(call, moment->is_exit),
	};
	if (moment->time < events->newest - LATE_NS)
		events->nr_late++;
	if (moment->time > events->newest)
		events->newest = moment->time;
	return true;
}

static void count_missed(struct call_events *events, struct caller *caller)
{
	for (size_t i = 0; i < caller->nr_begun; i++)
		caller->begun[i].nr_missed++;
}

/* Calls that are no longer open and whose slices do not come, because there was no room for them. */
static void drop_missed(struct call_events *events, struct caller *caller)
{
	const uint32_t most = events->is_last ? 0 : MISSED_MOST;

	for (size_t i = caller->nr_begun; i-- > 0;) {
		if (caller->begun[i].nr_missed <= most)
			continue;
		caller_remove_begun(caller, &caller->begun[i]);
		events->nr_lost++;
	}
}

/*
 * Reading a run takes time, while its calls go on. Calls that began after the log was opened may lie in areas
 * that it did not have then, or have nodes that came later.
 */
static void remember(struct known_log *log, const struct process *process)
{
	const int64_t opened = process->opened_ns - process->origin_ns;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	log->last = log->looked = process->last;
	log->has_ended = process->end_kind != END_RUNNING;
	if (log->has_ended)
		return;
	log->last = opened < process->last ? opened : process->last;
	log->looked = now.tv_sec * 1000000000 + now.tv_nsec - process->origin_ns;
}

void call_events_end(struct call_events *events)
{
	slices_each_place(events->reader, keep_place, events);
	slices_close(events->reader);
	for_each_caller(events, count_missed);
	for (size_t i = 0; i < events->model->nr_processes; i++) {
		struct process *process = events->model->processes[i];

		if (!has_calls(process))
			continue;
		take_open_calls(events, process);
		remember(callers_of(&events->callers, process), process);
	}
	for_each_caller(events, drop_missed);
}
