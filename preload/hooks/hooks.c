/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hooks that -finstrument-functions calls. Together they cost little more than their two clock readings:
 * no lock, no system call, no allocation; whatever is rare is a tail call to somewhere else.
 */
#include "preload/hooks/hooks.h"

#include "preload/calls/adaptive.h"
#include "preload/calls/call_slow.h"
#include "preload/calls/selection.h"
#include "preload/heap/heap.h"
#include "preload/stacks/paused_calls.h"
#include "preload/stacks/stacks.h"
#include "preload/state/entry.h"
#include "preload/state/rss_at_calls.h"

/*
 * Read before the top frame is: calls of a handler that comes at a full area go on in another one and leave the
 * thread there, so the old limit with the new top is noticed, and the new limit with the old top would not be.
 */
static ALWAYS_INLINE uint64_t area_limit(const struct log_thread *thread)
{
	uint64_t limit_addr = thread->limit_addr;

	load_now(limit_addr);
	signal_fence();
	return limit_addr;
}

/*
 * A top frame below us on the stack is dead, and so is one at our place that was entered from the same
 * place: this very call is made again. Inlined callees share our place, but not the place they return to.
 */
static ALWAYS_INLINE bool follows_top(const struct log_thread *thread, uintptr_t stack_addr, uintptr_t return_addr)
{
	const uint64_t limit_addr = area_limit(thread);
	const struct log_frame *top = top_frame(thread);

	if (unlikely(stack_addr - thread->stack_low_addr >= thread->stack_bytes))
		return false;	/* on another stack, or without room for frames */
	if (unlikely(top->stack_addr <= stack_addr) &&
	    (top->stack_addr < stack_addr || top->return_low == (uint32_t)return_addr))
		return false;
	return likely((uint64_t)top < limit_addr);
}

static ALWAYS_INLINE void enter(const struct log_header *log, struct log_thread *thread, uint64_t function_addr,
				uintptr_t stack_addr, uintptr_t return_addr, enum call_timing timing)
{
	uint32_t parent = thread->current, ref;
	struct log_frame *frame = call_claim(log, thread, function_addr, stack_addr, return_addr, timing);
	const struct log_node *node;

	call_start_clock(frame, timing);
	ref = *path_cache_entry(thread, parent, function_addr);
	node = node_at(log, ref);
	if (likely(node->function_addr == function_addr && node->parent == parent))
		call_publish(thread, frame, ref);
	else
		call_begin_slowly(thread, frame);
}

/* The thread's first event, or something is to be set right before a frame can follow the top one. */
static NOINLINE void enter_slowly(uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	struct log_thread *thread = thread_self();

	if (unlikely(!thread && live.log))
		log_lose(live.log, LOG_LOST_CALLS);
	else if (unlikely(!thread && live.pid))		/* of a vfork child before its parent has a log */
		log_lose(entry_holder(), LOG_LOST_CALLS);
	else if (unlikely(!live_has_begun))
		live_early_calls++;
	if (unlikely(thread && !live.log->has_hooks) && heap_begin_late(live.log))
		live_measure_late(live.log);
	if (thread && stack_before_enter(thread, function_addr, stack_addr, return_addr))
		call_begin_slowly(thread, call_claim(live.log, thread, function_addr, stack_addr, return_addr,
						     call_timing()));
}

static NOINLINE void enter_counting(const struct log_header *log, struct log_thread *thread, uint64_t function_addr,
				    uintptr_t stack_addr, uintptr_t return_addr)
{
	enter(log, thread, function_addr, stack_addr, return_addr, TIME_NOT);
}

static NOINLINE void enter_by_clock(uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	struct log_thread *thread = self;

	if (likely(thread))	/* a handler that interrupts us may have forked */
		enter(live.log, thread, function_addr, stack_addr, return_addr, TIME_BY_CLOCK);
}

/* Of short calls some are timed: the node says which. */
static ALWAYS_INLINE void enter_adaptive(const struct log_header *log, struct log_thread *thread, uint64_t function_addr,
					 uintptr_t stack_addr, uintptr_t return_addr)
{
	uint32_t parent = thread->current, ref = *path_cache_entry(thread, parent, function_addr);
	struct log_frame *frame = call_claim(log, thread, function_addr, stack_addr, return_addr, TIME_SOME);
	const struct log_node *node = node_at(log, ref);

	if (likely(node->function_addr == function_addr && node->parent == parent))
		adaptive_begin(log, thread, frame, ref);
	else
		call_begin_slowly(thread, frame);
}

static NOINLINE void enter_some(uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	struct log_thread *thread = self;

	if (likely(thread))
		enter_adaptive(live.log, thread, function_addr, stack_addr, return_addr);
}

static NOINLINE void enter_by_tsc(uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	struct log_thread *thread = self;

	if (likely(thread))
		enter(live.log, thread, function_addr, stack_addr, return_addr, TIME_BY_TSC);
}

static ALWAYS_INLINE void enter_timed(uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	if (live.timing == LOG_TIMING_ADAPTIVE)
		enter_some(function_addr, stack_addr, return_addr);
	else if (live.clock == LOG_CLOCK_TSC)
		enter_by_tsc(function_addr, stack_addr, return_addr);
	else
		enter_by_clock(function_addr, stack_addr, return_addr);
}

/* Memory is read before the call begins. A path that is not in the cache reads once more. */
static NOINLINE void enter_and_read(uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	struct log_memory_reading now;

	memory_read(&now);
	enter_timed(function_addr, stack_addr, return_addr);
	if (likely(self))
		memory_keep(self, top_frame(self), &now);
}

/* Calls that the selection leaves out have no frame: to be asked alike at entry and exit. */
static ALWAYS_INLINE bool is_left_out(const struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	const uint32_t verdict = selection.has_names ? selection_verdict(function_addr) : VERDICT_PLAIN;

	if (verdict == VERDICT_EXCLUDED)
		return true;
	return selection.has_focus && verdict != VERDICT_FOCUS && selection_is_outside(thread) &&
	       stack_addr - thread->stack_low_addr < thread->stack_bytes;
}

/*
 * Not all calls are recorded, or none now; or they are only counted, or the clock is not the time-stamp counter, or memory is
 * read: those are functions by themselves, as they call others.
 */
static NOINLINE void enter_otherwise(uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	const struct log_header *log = live.log;
	struct log_thread *thread = self;

	if (selection.is_on && likely(log && thread) && likely(is_left_out(thread, function_addr, stack_addr)))
		return;
	if (switched_off()) {
		if (unlikely(!log || !thread || !gap_takes_entry(thread, stack_addr)))
			enter_slowly(function_addr, stack_addr, return_addr);
		return;
	}
	if (unlikely(!log || !thread || !follows_top(thread, stack_addr, return_addr) ||
		     (selection.most_depth && stack_is_deep(thread))))
		enter_slowly(function_addr, stack_addr, return_addr);
	else if (likely(live.timing == LOG_TIMING_COUNTS))
		enter_counting(log, thread, function_addr, stack_addr, return_addr);
	else if (live.reads_memory)
		enter_and_read(function_addr, stack_addr, return_addr);
	else
		enter_timed(function_addr, stack_addr, return_addr);
}

EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
	const struct log_header *log = live.hot_log;
	struct log_thread *thread = self;
	uintptr_t stack_addr = own_frame_addr();
	uintptr_t return_addr = (uintptr_t)__builtin_return_address(0);

	(void)call_site;
	if (unlikely(!log || !thread))
		enter_otherwise((uint64_t)function, stack_addr, return_addr);
	else if (unlikely(!follows_top(thread, stack_addr, return_addr)))
		enter_slowly((uint64_t)function, stack_addr, return_addr);
	else if (live.timing == LOG_TIMING_ADAPTIVE)
		enter_adaptive(log, thread, (uint64_t)function, stack_addr, return_addr);
	else if (likely(live.timing == LOG_TIMING_EXACT))
		enter(log, thread, (uint64_t)function, stack_addr, return_addr, TIME_BY_TSC);
	else
		enter_counting(log, thread, (uint64_t)function, stack_addr, return_addr);
}

/* The last call of a full area ends slowly, see area_limit(). */
static ALWAYS_INLINE bool is_top(const struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	const uint64_t limit_addr = area_limit(thread);

	return top_frame(thread)->function_addr == function_addr && thread->top_addr != limit_addr &&
	       stack_addr - thread->stack_low_addr < thread->stack_bytes;
}

static NOINLINE void exit_slowly(uint64_t function_addr, uintptr_t stack_addr)
{
	struct log_thread *thread = thread_self();

	if (thread)
		stack_exit(thread, function_addr, stack_addr);
}

static NOINLINE void exit_counting(struct log_header *log, struct log_thread *thread)
{
	call_end(log, thread, top_frame(thread), TIME_NOT, false);
}

static NOINLINE void exit_by_clock(void)
{
	struct log_thread *thread = self;

	if (likely(thread))
		call_end(live.log, thread, top_frame(thread), TIME_BY_CLOCK, false);
}

static NOINLINE void exit_some(void)
{
	struct log_thread *thread = self;

	if (likely(thread))
		adaptive_end(live.log, thread, top_frame(thread), false);
}

static NOINLINE void exit_by_tsc(void)
{
	struct log_thread *thread = self;

	if (likely(thread))
		call_end(live.log, thread, top_frame(thread), TIME_BY_TSC, false);
}

static NOINLINE void exit_otherwise(uint64_t function_addr, uintptr_t stack_addr)
{
	struct log_header *log = live.log;
	struct log_thread *thread = self;

	if (selection.is_on && likely(log && thread) && likely(is_left_out(thread, function_addr, stack_addr)))
		return;
	if (switched_off() && likely(log && thread) && likely(gap_takes_exit(thread, stack_addr)))
		return;
	if (unlikely(!log || !thread || !is_top(thread, function_addr, stack_addr)))
		exit_slowly(function_addr, stack_addr);
	else if (likely(live.timing == LOG_TIMING_COUNTS))
		exit_counting(log, thread);
	else if (live.timing == LOG_TIMING_ADAPTIVE)
		exit_some();
	else if (live.clock == LOG_CLOCK_TSC)
		exit_by_tsc();
	else
		exit_by_clock();
}

EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
	struct log_header *log = live.hot_log;
	struct log_thread *thread = self;
	uintptr_t stack_addr = own_frame_addr();

	(void)call_site;
	if (unlikely(!log || !thread))
		exit_otherwise((uint64_t)function, stack_addr);
	else if (unlikely(!is_top(thread, (uint64_t)function, stack_addr)))
		exit_slowly((uint64_t)function, stack_addr);
	else if (live.timing == LOG_TIMING_ADAPTIVE)
		adaptive_end(log, thread, top_frame(thread), false);
	else if (likely(live.timing == LOG_TIMING_EXACT))
		call_end(log, thread, top_frame(thread), TIME_BY_TSC, false);
	else
		exit_counting(log, thread);
}
