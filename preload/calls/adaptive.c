/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adaptive timing: the calls that are timed, and which ones they are. */
#include "preload/calls/adaptive.h"

#include "preload/calls/slices.h"
#include "preload/state/sampler_task.h"

#define LONG_US		2u	/* a call that lasts so long is always timed: its two readings take 1 % of it */
#define CALLS_SHIFT	8u	/* a path has had 2^8 calls for each that one timing stands for */
#define RECENT_SHIFT	4u	/* the running mean is over 2^4 calls */

/* Anything may be interrupted by a handler that draws the same number again: that does not matter. */
static uint32_t draw(struct log_thread *thread, uint32_t shift)
{
	thread->random = thread->random * 1664525u + 1013904223u;
	return thread->random >> 16 & ((1u << shift) - 1);
}

/* By powers of two: no division, as a path whose calls are all timed asks at each of them. */
static uint32_t next_shift(const struct log_node *node)
{
	uint64_t long_ticks = live.log->threshold_floor_ticks * LONG_US, calls = node->calls >> CALLS_SHIFT;
	uint32_t shift;

	if (calls < 2 || node->recent_ticks >= long_ticks)
		return 0;
	shift = (uint32_t)(__builtin_clzll(node->recent_ticks | 1) - __builtin_clzll(long_ticks));
	if (shift > LOG_SHIFT_MAX)
		shift = LOG_SHIFT_MAX;
	return calls >> shift ? shift : 63u - (uint32_t)__builtin_clzll(calls);
}

/* One block ends with @rest more calls; which call of the next one is timed? */
static void begin_block(struct log_thread *thread, struct log_node *node, uint32_t rest)
{
	uint32_t shift = next_shift(node), before = draw(thread, shift);

	node->skip_calls = (uint16_t)(rest + before);
	node->rest_calls = (uint8_t)((1u << shift) - 1 - before);
	node->shift = (uint8_t)shift;
}

/* Calls around this one that are not timed: it is the first reading of the clock in them. */
static void note_first(struct log_frame *below, uint64_t ticks)
{
	for (; below->function_addr && !below->start_ticks && !below->first_ticks; below--)
		below->first_ticks = ticks;
}

NOINLINE void adaptive_begin_timed(struct log_thread *thread, struct log_frame *frame, uint32_t ref)
{
	struct log_node *node = node_at(live.log, ref);

	frame->start_ticks = 1;		/* a handler's calls find it timed from here on */
	signal_fence();
	frame->shift = node->shift;
	begin_block(thread, node, node->rest_calls);
	call_note_heap(live.log, thread, frame);
	frame->child_ticks = 0;
	frame->start_ticks = thread->last_ticks = now_ticks();
	note_first(frame - 1, frame->start_ticks);
	call_publish(thread, frame, ref);
}

static void add_weighted(const struct log_thread *thread, struct log_node *node, uint64_t ticks, uint32_t shift)
{
	uint32_t *bucket = &node->histogram[bucket_of(ticks)];

	*bucket += 1u << shift;
	if (unlikely(*bucket < 1u << shift))
		path_bucket_wrapped(thread, bucket);
}

/* See adaptive.h. A distance that 32 bits do not hold was no short call; the sum stays at its end rather than to wrap. */
static void add_spread(struct log_node *node, uint64_t ticks, uint32_t shift)
{
	uint32_t recent = node->recent_ticks, now = ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
	uint64_t distance = now > recent ? now - recent : recent - now, weight = 1ull << shift;
	unsigned __int128 variance = (unsigned __int128)(distance * distance) * weight * (weight - 1);

	variance = (variance >> LOG_VARIANCE_SHIFT) + node->variance;
	node->variance = variance > UINT64_MAX ? UINT64_MAX : (uint64_t)variance;
	node->recent_ticks = node->calls == 1 ? now : now > recent ? recent + (uint32_t)(distance >> RECENT_SHIFT) :
			     recent - (uint32_t)(distance >> RECENT_SHIFT);
}

NOINLINE void adaptive_end_timed(struct log_thread *thread, struct log_frame *frame, bool broken)
{
	struct log_header *log = live.log;
	struct log_node *node = node_at(log, frame->node);
	uint64_t end_ticks = now_ticks(), ticks = end_ticks - frame->start_ticks;

	thread->last_ticks = end_ticks;
	node->calls++;
	add_duration(node, ticks, frame->child_ticks, frame->shift);
	add_weighted(thread, node, ticks, frame->shift);
	add_spread(node, ticks, frame->shift);
	frame[-1].child_ticks += ticks << frame->shift;
	if (ticks >= log->threshold_ticks) {
		slice_write(thread, frame, end_ticks, broken);
		sampler_task_poll(end_ticks);
	}
	pop_frame(thread, frame);
}

NOINLINE void adaptive_end_long(struct log_thread *thread, struct log_frame *frame, bool broken)
{
	uint64_t end_ticks = thread->last_ticks = now_ticks();

	if (frame->first_ticks && end_ticks - frame->first_ticks >= live.log->threshold_ticks)
		slice_write(thread, frame, end_ticks, broken);
	sampler_task_poll(end_ticks);
	pop_frame(thread, frame);
}
