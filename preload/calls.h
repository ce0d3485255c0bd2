/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Begin and end of a call: its frame, its node's counters, its slice. Shared by the hooks and by repairs.
 * What is rare is a tail call, so that the common way saves no registers.
 */
#ifndef INSIDEME_CALLS_H
#define INSIDEME_CALLS_H

#include "paths.h"

static ALWAYS_INLINE struct log_frame *top_frame(const struct log_thread *thread)
{
	return (struct log_frame *)thread->top_addr;
}

/* Make the thread be in the call of @node. Claim, fill, publish: a signal handler's hooks may come between. */
static ALWAYS_INLINE void call_begin(struct log_thread *thread, uint32_t node, uint64_t function_addr,
				     uintptr_t stack_addr, uintptr_t return_addr)
{
	struct log_frame *frame = top_frame(thread) + 1;

	thread->top_addr = (uint64_t)frame;
	signal_fence();
	frame->function_addr = function_addr;
	frame->stack_addr = stack_addr;
	frame->return_addr = return_addr;
	frame->child_ticks = 0;
	frame->thread_heap_bytes = thread->heap_bytes;
	frame->heap_bytes = live.log->heap_total_bytes + thread->heap_held_bytes;
	frame->node = node;
	if (likely(live.timing == LOG_TIMING_EXACT))
		frame->start_ticks = now_ticks();
	signal_fence();
	thread->current = node;
}

static ALWAYS_INLINE void pop_frame(struct log_thread *thread, struct log_frame *frame)
{
	thread->current = frame[-1].node;
	signal_fence();
	thread->top_addr = (uint64_t)(frame - 1);
}

static ALWAYS_INLINE void add_duration(struct log_node *node, uint64_t ticks, uint64_t child_ticks)
{
	unsigned __int128 squares;

	__builtin_memcpy(&squares, node->squares, sizeof(squares));
	squares += (unsigned __int128)ticks * ticks;
	__builtin_memcpy(node->squares, &squares, sizeof(squares));
	node->timed_calls++;
	node->total_ticks += ticks;
	node->child_ticks += child_ticks;
	if (ticks < node->min_ticks)
		node->min_ticks = ticks;
	if (ticks > node->max_ticks)
		node->max_ticks = ticks;
}

/* Write the slice of a long call and pop it; or @bucket went past 2^32 and begins again at 0. */
void call_end_slowly(struct log_thread *thread, struct log_frame *frame, uint64_t end_ticks, bool broken,
		     const uint32_t *bucket);

/*
 * The call of @frame, the top one, ended at @end_ticks (0 unless timing is exact). Its histogram bucket is
 * counted when the next call ends: until then the bucket's address may wait for the clock, and nobody else.
 */
static ALWAYS_INLINE void call_end(struct log_thread *thread, struct log_frame *frame, uint64_t end_ticks, bool broken)
{
	struct log_header *log = live.log;
	struct log_node *node = node_at(log, frame->node);
	uint32_t *pending = (uint32_t *)thread->pending_addr, bucket;
	uint64_t ticks = end_ticks - frame->start_ticks;

	node->calls++;
	if (unlikely(live.timing != LOG_TIMING_EXACT)) {
		pop_frame(thread, frame);
		return;
	}
	add_duration(node, ticks, frame->child_ticks);
	frame[-1].child_ticks += ticks;
	bucket = 63u - (uint32_t)__builtin_clzll(ticks | 1);
	if (unlikely(bucket >= LOG_BUCKETS))
		bucket = LOG_BUCKETS - 1;
	thread->pending_addr = (uint64_t)&node->histogram[bucket];
	if (unlikely(++*pending == 0 || ticks >= log->threshold_ticks))
		call_end_slowly(thread, frame, end_ticks, broken, pending);
	else
		pop_frame(thread, frame);
}

#endif
