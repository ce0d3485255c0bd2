/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Begin and end of a call: its frame, its node's counters, its slice. Shared by the hooks and by repairs.
 *
 * Reading the time-stamp counter makes many processors wait until all that came before is done, and hides
 * about 16 cycles of what comes after. So the order matters more than the number of instructions: an exit
 * loads all that it needs before it reads the clock, and an entry looks up its node after reading it.
 */
#pragma once

#include "preload/calls/call_places.h"
#include "preload/calls/paths.h"

/* How calls are timed; it is a constant wherever it is passed, so each way is compiled separately. */
enum call_timing { TIME_BY_TSC, TIME_BY_CLOCK, TIME_NOT };

static ALWAYS_INLINE uint64_t call_clock(enum call_timing timing)
{
	return timing == TIME_BY_TSC ? clock_counter() : timing == TIME_BY_CLOCK ? live_clock_ns() : 0;
}

/* How this process's calls are timed, for what is not on the hot path. */
static inline enum call_timing call_timing(void)
{
	if (live.timing == LOG_TIMING_COUNTS)
		return TIME_NOT;
	return live.clock == LOG_CLOCK_TSC ? TIME_BY_TSC : TIME_BY_CLOCK;
}

static ALWAYS_INLINE struct log_frame *top_frame(const struct log_thread *thread)
{
	return (struct log_frame *)thread->top_addr;
}

/* The path of the top frame's call. */
static ALWAYS_INLINE struct log_node *top_node(const struct log_header *log, const struct log_thread *thread)
{
	return node_at(log, top_frame(thread)->node);
}

static ALWAYS_INLINE void call_note_heap(const struct log_header *log, const struct log_thread *thread,
					 struct log_frame *frame)
{
	frame->thread_heap_bytes = thread->heap_bytes;
	frame->heap_bytes = log->heap_total_bytes + thread->heap_held_bytes;
}

/*
 * The frame of a call that begins, on top of the thread's frames: claim, fill, publish. A signal handler's
 * hooks may come between any two stores. The frame counts once call_publish() has made its node the thread's
 * current one.
 */
static ALWAYS_INLINE struct log_frame *call_claim(const struct log_header *log, struct log_thread *thread,
						  uint64_t function_addr, uintptr_t stack_addr,
						  uintptr_t return_addr, enum call_timing timing)
{
	struct log_frame *frame = top_frame(thread) + 1;

	/*
	 * A handler's hooks pop a claimed frame that looks like the frame of an ended call. So what lies here
	 * before the claim has a high stack address: ours, or that of a handler's call that has ended since.
	 * Signals are likely to arrive during the first touch of a page.
	 */
	frame->stack_addr = stack_addr;
	signal_fence();
	thread->top_addr = (uint64_t)frame;
	signal_fence();
	frame->function_addr = function_addr;
	frame->stack_addr = stack_addr;
	frame->return_low = (uint32_t)return_addr;
	frame->parent = thread->current;
	if (timing != TIME_NOT) /* else there is no slice */
		call_note_heap(log, thread, frame);
	return frame;
}

static ALWAYS_INLINE void call_publish(struct log_thread *thread, struct log_frame *frame, uint32_t node)
{
	frame->node = node;
	signal_fence();
	thread->current = node;
}

/*
 * The call begins now. Time that a handler's calls have added to the frame so far is not part of the call.
 * Without times both fields stay 0.
 */
static ALWAYS_INLINE void call_start_clock(struct log_frame *frame, enum call_timing timing)
{
	if (timing == TIME_NOT)
		return;
	frame->start_ticks = call_clock(timing);
	frame->child_ticks = 0;
}

/* The call of a counted function. Its callees add their times all the same. */
static ALWAYS_INLINE void call_start_untimed(struct log_frame *frame)
{
	frame->start_ticks = frame->child_ticks = 0;
}

static ALWAYS_INLINE void pop_frame(struct log_thread *thread, struct log_frame *frame)
{
	thread->current =
		frame->parent; /* the frame below may be one that our handler interrupted: not whole */
	signal_fence();
	thread->top_addr = (uint64_t)(frame - 1);
	signal_fence();
	frame->stack_addr = UINT64_MAX;	/* see call_claim() */
}

static ALWAYS_INLINE void add_duration(struct log_node *node, uint64_t ticks, uint64_t child_ticks)
{
	unsigned __int128 squares;

	__builtin_memcpy(&squares, node->squares, sizeof(squares));
	squares += (unsigned __int128)ticks * ticks;
	__builtin_memcpy(node->squares, &squares, sizeof(squares));
	node->total_ticks += ticks;
	node->child_ticks += child_ticks;
	if (ticks < node->min_ticks)
		node->min_ticks = ticks;
	if (ticks > node->max_ticks)
		node->max_ticks = ticks;
}

static ALWAYS_INLINE uint32_t bucket_of(uint64_t ticks)
{
	uint32_t bucket = 63u - (uint32_t)__builtin_clzll(ticks | 1);

	return unlikely(bucket >= LOG_BUCKETS) ? LOG_BUCKETS - 1 : bucket;
}

/*
 * The rare ends of a call: it was long, so write its slice and pop it; or @bucket has passed 2^32 and begins
 * again at 0.
 */
void call_end_slowly(struct log_thread *thread, struct log_frame *frame, uint64_t end_ticks, bool broken,
		     const uint32_t *bucket);

/* The values that an exit must have in registers before it reads the clock; and that reading. */
struct call_times {
	uint64_t start_ticks, child_ticks, end_ticks;
};

/*
 * The call of @frame, the top one, is over. Its histogram bucket is counted when the next call ends: so only
 * the bucket's address waits for the clock.
 */
static ALWAYS_INLINE void call_close(struct log_header *log, struct log_thread *thread,
				     struct log_frame *frame, struct log_node *node, struct call_times times,
				     bool broken)
{
	const uint64_t ticks = times.end_ticks - times.start_ticks;
	uint32_t *pending, *bucket;

	add_duration(node, ticks, times.child_ticks);
	frame[-1].child_ticks += ticks;
	bucket = &node->histogram[bucket_of(ticks)];
	load_now(bucket);
	/*
	 * These two stand next to each other: a handler's call that ends in between takes the same bucket,
	 * and our bucket replaces the handler's.
	 */
	pending = (uint32_t *)thread->pending_addr;
	thread->pending_addr = (uint64_t)bucket;
	if (unlikely(++*pending == 0 || ticks >= log->threshold_ticks))
		call_end_slowly(thread, frame, times.end_ticks, broken, pending);
	else
		pop_frame(thread, frame);
}

/* The call of @frame, the top one, is over, and its duration is not known. @node: as for call_end() */
static ALWAYS_INLINE void call_close_untimed(struct log_thread *thread, struct log_frame *frame,
					     struct log_node *node)
{
	node->calls++;
	node->untimed_calls++;
	frame[-1].child_ticks += frame->child_ticks;
	pop_frame(thread, frame);
}

/*
 * The call of @frame, the top one, ends now. @node: whose counters it adds to: of its path, or of the place
 * that it came from. Return: how long it lasted
 */
static ALWAYS_INLINE uint64_t call_end(struct log_header *log, struct log_thread *thread,
				       struct log_frame *frame, struct log_node *node,
				       enum call_timing timing, bool broken)
{
	struct call_times times = { .start_ticks = frame->start_ticks, .child_ticks = frame->child_ticks };

	if (timing == TIME_NOT) {
		node->calls++;
		node->untimed_calls++;
		pop_frame(thread, frame);
		return 0;
	}
	load_now(node);
	load_now(times.start_ticks);
	load_now(times.child_ticks);
	times.end_ticks = call_clock(timing);
	node->calls++;
	call_close(log, thread, frame, node, times, broken);
	return times.end_ticks - times.start_ticks;
}
