/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hooks that -finstrument-functions calls. Together they cost little more than their two clock readings:
 * no lock, no system call, no allocation. Whatever is rare is a tail call to another function.
 */
#include "preload/hooks/hooks.h"

#include "preload/calls/call_slow.h"
#include "preload/calls/counted.h"
#include "preload/calls/selection.h"
#include "preload/calls/sites.h"
#include "preload/heap/heap.h"
#include "preload/samples/called_paths.h"
#include "preload/samples/cpu_samples.h"
#include "preload/stacks/paused_calls.h"
#include "preload/stacks/stacks.h"
#include "preload/state/process_entry.h"
#include "preload/state/rss_at_calls.h"

#define FRAME_SLACK 64u /* bytes by which a function's exit may lie below its entry on the stack */

/*
 * The frame pointer of the function that calls the hook: no function of this file changes it. 0: not known.
 */
#if defined(__x86_64__) && !defined(__clang__)
register uintptr_t frame_pointer __asm__("rbp");
#else
static const uintptr_t frame_pointer;
#endif

/*
 * Read this before the top frame. If a handler comes when the area is full, its calls use another area and
 * leave the thread there. The old limit with the new top is noticed; the new limit with the old top would not
 * be.
 */
static ALWAYS_INLINE uint64_t area_limit(const struct log_thread *thread)
{
	uint64_t limit_addr = thread->limit_addr;

	load_now(limit_addr);
	signal_fence();
	return limit_addr;
}

/*
 * A top frame below ours on the stack is dead. So is one at our place with the same return address: this very
 * call is being made again. Inlined callees share our place, but not the return address.
 */
static ALWAYS_INLINE bool follows_top(const struct log_thread *thread, uintptr_t stack_addr,
				      uintptr_t return_addr)
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

/* @call_site: kept for the call's end, unless it is 0, as on the fast way. */
static ALWAYS_INLINE void enter(const struct log_header *log, struct log_thread *thread,
				uint64_t function_addr, uintptr_t call_site, uintptr_t stack_addr,
				uintptr_t return_addr, enum call_timing timing)
{
	uint32_t parent = thread->current, ref;
	struct log_frame *frame = call_claim(log, thread, function_addr, stack_addr, return_addr, timing);
	const struct log_node *node;

	if (call_site)
		frame->site_low = (uint32_t)call_site;
	call_start_clock(frame, timing);
	ref = *path_cache_entry(thread, parent, function_addr);
	node = node_at(log, ref);
	if (likely(node->function_addr == function_addr && node->parent == parent))
		call_publish(thread, frame, ref);
	else
		call_begin_slowly(thread, frame);
}

/* This is the thread's first event, or something must be repaired before a frame can follow the top one. */
static NOINLINE void enter_slowly(uint64_t function_addr, struct call_origin origin, uintptr_t stack_addr)
{
	struct log_thread *thread = thread_self();
	const uintptr_t return_addr = origin.return_addr;
	struct log_frame *frame;

	if (unlikely(!thread && live.log))
		log_lose(live.log, LOG_LOST_CALLS);
	else if (unlikely(!thread && live.pid))		/* in a vfork child before its parent has a log */
		log_lose(entry_holder(), LOG_LOST_CALLS);
	else if (unlikely(!live_has_begun))
		live_early_calls++;
	if (unlikely(thread && !live.log->has_hooks) && heap_begin_late(live.log))
		live_measure_late(live.log);
	if (!thread || !stack_before_enter(thread, function_addr, stack_addr, return_addr))
		return;
	frame = call_claim(live.log, thread, function_addr, stack_addr, return_addr, call_timing());
	if (live.timing == LOG_TIMING_AUTO)
		call_begin_on_path(thread, frame,
				   called_path(thread, thread->current, function_addr, origin));
	else
		call_begin_slowly(thread, frame);
}

/* The same where calling lines are recorded. The call may have no frame, or one in another area. */
static NOINLINE void enter_slowly_from(uint64_t function_addr, struct call_origin origin,
				       uintptr_t stack_addr)
{
	struct log_frame *frame;

	enter_slowly(function_addr, origin, stack_addr);
	frame = live.log && self && self->frames ? top_frame(self) : NULL;
	if (frame && frame->function_addr == function_addr && frame->stack_addr == stack_addr &&
	    frame->return_low == (uint32_t)origin.return_addr)
		frame->site_low = (uint32_t)origin.call_site;
}

/* The calling thread has no counters yet: this may be its first counted call. */
static NOINLINE void begin_counting(struct log_thread *thread)
{
	if (samples_begin_counting(thread))
		counted_begin_thread(thread);
}

/* The call site of a counted function that cannot be patched, or is not patched yet. */
static NOINLINE void enter_counted(struct log_node *node, uintptr_t return_addr)
{
	struct log_thread *thread = self;
	const uint32_t function = node->function;

	if (unlikely(!counters) && thread)
		begin_counting(thread);
	if (unlikely(live.has_call_places) && thread)
		node = call_place_find(thread,
				       called_from(log_ref(live.log, node), (uint32_t)return_addr, 0));
	counted_add(node);
	site_entered(function, return_addr);
}

/*
 * Look up the path before reading the clock: there may be nothing to time. @kept_site: @call_site if the
 * frame keeps it, else 0
 */
static ALWAYS_INLINE void enter_auto(const struct log_header *log, struct log_thread *thread,
				     uint64_t function_addr, uintptr_t call_site, uintptr_t kept_site,
				     uintptr_t stack_addr, uintptr_t return_addr, enum call_timing timing)
{
	const uint32_t parent = thread->current;
	const struct call_origin origin = { call_site, return_addr };
	const uint32_t ref = called_path(thread, parent, function_addr, origin);
	struct log_node *node = node_at(log, ref);
	const bool is_counted = counted_is(node->function);
	struct log_frame *frame;

	if (unlikely(is_counted)) {
		if (!counted_has_frames(node->function)) {
			enter_counted(node, return_addr);
			return;
		}
		if (unlikely(!counters) && node->function != COUNTED_MEASURED)
			begin_counting(thread);
	}
	frame = call_claim(log, thread, function_addr, stack_addr, return_addr, timing);
	if (kept_site)
		frame->site_low = (uint32_t)kept_site;
	if (unlikely(is_counted))
		call_start_untimed(frame);
	else
		call_start_clock(frame, timing);
	call_publish(thread, frame, ref);
}

static NOINLINE void enter_counting(const struct log_header *log, struct log_thread *thread,
				    uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	enter(log, thread, function_addr, 0, stack_addr, return_addr, TIME_NOT);
}

/* Functions of their own, so that each saves no more registers than it needs. */
static NOINLINE void enter_auto_by_tsc(uint64_t function_addr, uintptr_t call_site, uintptr_t stack_addr,
				       uintptr_t return_addr)
{
	struct log_thread *thread = self;

	if (likely(thread))	/* a handler that interrupts us may have forked */
		enter_auto(live.log, thread, function_addr, call_site, call_site, stack_addr, return_addr,
			   TIME_BY_TSC);
}

static NOINLINE void enter_by_tsc(uint64_t function_addr, uintptr_t call_site, uintptr_t stack_addr,
				  uintptr_t return_addr)
{
	struct log_thread *thread = self;

	if (likely(thread))
		enter(live.log, thread, function_addr, call_site, stack_addr, return_addr, TIME_BY_TSC);
}

static NOINLINE void enter_otherwise_timed(uint64_t function_addr, uintptr_t call_site, uintptr_t stack_addr,
					   uintptr_t return_addr)
{
	const struct log_header *log = live.log;
	struct log_thread *thread = self;

	if (unlikely(!thread))
		return;
	if (live.timing == LOG_TIMING_AUTO)
		enter_auto(log, thread, function_addr, call_site, call_site, stack_addr, return_addr,
			   TIME_BY_CLOCK);
	else if (live.timing == LOG_TIMING_EXACT)
		enter(log, thread, function_addr, call_site, stack_addr, return_addr, TIME_BY_CLOCK);
	else
		enter(log, thread, function_addr, call_site, stack_addr, return_addr, TIME_NOT);
}

static ALWAYS_INLINE void enter_timed(uint64_t function_addr, uintptr_t call_site, uintptr_t stack_addr,
				      uintptr_t return_addr)
{
	if (live.timing == LOG_TIMING_AUTO && live.clock == LOG_CLOCK_TSC)
		enter_auto_by_tsc(function_addr, call_site, stack_addr, return_addr);
	else if (live.timing == LOG_TIMING_EXACT && live.clock == LOG_CLOCK_TSC)
		enter_by_tsc(function_addr, call_site, stack_addr, return_addr);
	else
		enter_otherwise_timed(function_addr, call_site, stack_addr, return_addr);
}

/* Read memory before the call begins. If the path is not in the cache, memory is read once more. */
static NOINLINE void enter_and_read(uint64_t function_addr, uintptr_t call_site, uintptr_t stack_addr,
				    uintptr_t return_addr)
{
	struct log_memory_reading now;
	const struct log_frame *before = top_frame(self);

	memory_read(&now);
	enter_timed(function_addr, call_site, stack_addr, return_addr);
	if (likely(self) && top_frame(self) != before) /* a counted call has no frame */
		memory_keep(self, top_frame(self), &now);
}

/* Calls that the selection leaves out have no frame. Entry and exit must decide this in the same way. */
static ALWAYS_INLINE bool is_left_out(const struct log_thread *thread, uint64_t function_addr,
				      uintptr_t stack_addr)
{
	struct selection_set *set = selection_now();
	const uint32_t verdict = set->has_names ? selection_verdict(set, function_addr) : VERDICT_PLAIN;

	if (verdict == VERDICT_EXCLUDED)
		return true;
	return set->has_focus && verdict != VERDICT_FOCUS && selection_is_outside(set, thread) &&
	       stack_addr - thread->stack_low_addr < thread->stack_bytes;
}

/*
 * The same after the focus has changed. Counted functions are still counted everywhere, because their call
 * sites are. A gap with open calls includes calls that would have no frame, because it counts all exits.
 */
static NOINLINE bool is_left_out_now(const struct log_thread *thread, uint64_t function_addr,
				     uintptr_t stack_addr)
{
	struct log_frame *top = top_frame(thread);

	if (switched_off() || !is_left_out(thread, function_addr, stack_addr))
		return false;
	if (selection_excludes(function_addr))
		return true;
	if (top->function_addr == function_addr ||
	    (live.timing == LOG_TIMING_AUTO && counted_without_frames(counted_find(function_addr))))
		return false;
	if (is_gap(top) && top->nr_calls)
		top->nr_calls++;
	return true;
}

/* An exit that belongs neither to the top frame's call nor to one below it on the stack. */
static NOINLINE bool is_exit_left_out_now(const struct log_thread *thread, uint64_t function_addr,
					  uintptr_t stack_addr)
{
	const struct log_frame *top = top_frame(thread);

	if (selection_excludes(function_addr))
		return true;
	return stack_addr - thread->stack_low_addr < thread->stack_bytes && !switched_off() && !is_gap(top) &&
	       top->function_addr != function_addr && stack_addr <= top->stack_addr;
}

static ALWAYS_INLINE bool entry_is_left_out(const struct log_thread *thread, uint64_t function_addr,
					    uintptr_t stack_addr)
{
	return unlikely(selection.has_changed) ? is_left_out_now(thread, function_addr, stack_addr)
					       : is_left_out(thread, function_addr, stack_addr);
}

static ALWAYS_INLINE bool exit_is_left_out(const struct log_thread *thread, uint64_t function_addr,
					   uintptr_t stack_addr)
{
	return unlikely(selection.has_changed) ? is_exit_left_out_now(thread, function_addr, stack_addr)
					       : is_left_out(thread, function_addr, stack_addr);
}

/*
 * The slow way: some or all calls are not recorded now, or only counted; or the clock is not the time-stamp
 * counter; or memory is read, or calling lines are recorded. These are functions of their own, because they
 * call others.
 */
static NOINLINE void enter_otherwise(uint64_t function_addr, uintptr_t call_site, uintptr_t stack_addr,
				     uintptr_t return_addr)
{
	const struct call_origin origin = { call_site, return_addr };
	const struct log_header *log = live.log;
	struct log_thread *thread = self;

	if (unlikely(live_never_records()))
		return;
	if (likely(log))
		selection_poll(log);
	if (selection.is_on && likely(log && thread) &&
	    likely(entry_is_left_out(thread, function_addr, stack_addr))) {
		if (selection_excludes(function_addr))
			site_entered_in_vain(function_addr, return_addr);
		return;
	}
	if (switched_off()) {
		if (unlikely(!log || !thread || !gap_takes_entry(thread, stack_addr)))
			enter_slowly(function_addr, origin, stack_addr);
		return;
	}
	if (unlikely(!log || !thread || !follows_top(thread, stack_addr, return_addr) ||
		     (selection.most_depth && stack_is_deep(thread))))
		enter_slowly_from(function_addr, origin, stack_addr);
	else if (live.reads_memory && live.timing != LOG_TIMING_COUNTS)
		enter_and_read(function_addr, call_site, stack_addr, return_addr);
	else
		enter_timed(function_addr, call_site, stack_addr, return_addr);
}

EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
	const struct log_header *log = live.hot_log;
	struct log_thread *thread = self;
	uintptr_t stack_addr = own_frame_addr();
	uintptr_t return_addr = (uintptr_t)__builtin_return_address(0);

	if (unlikely(!log || !thread))
		enter_otherwise((uint64_t)function, (uintptr_t)call_site, stack_addr, return_addr);
	else if (unlikely(!follows_top(thread, stack_addr, return_addr)))
		enter_slowly_from((uint64_t)function,
				  (struct call_origin){ (uintptr_t)call_site, return_addr }, stack_addr);
	else if (live.hot_timing == LOG_TIMING_AUTO)
		enter_auto(log, thread, (uint64_t)function, (uintptr_t)call_site, 0, stack_addr, return_addr,
			   TIME_BY_TSC);
	else if (likely(live.hot_timing == LOG_TIMING_EXACT))
		enter(log, thread, (uint64_t)function, 0, stack_addr, return_addr, TIME_BY_TSC);
	else if (live.hot_timing == LOG_TIMING_COUNTS)
		enter_counting(log, thread, (uint64_t)function, stack_addr, return_addr);
	else
		enter_timed((uint64_t)function, (uintptr_t)call_site, stack_addr, return_addr);
}

/* The last call of a full area ends slowly, see area_limit(). */
static ALWAYS_INLINE bool is_top(const struct log_thread *thread, uint64_t function_addr,
				 uintptr_t stack_addr)
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

/*
 * Does the call of @frame end, although its function has moved the stack by more than the slack (alloca)?
 * Such a function has a frame pointer, with its return address beside it, which is the hook's second
 * argument. The frame pointer of a call within it would be lower.
 */
static ALWAYS_INLINE bool ends_extended(const struct log_thread *thread, const struct log_frame *frame,
					uintptr_t stack_addr, uintptr_t call_site)
{
	const uintptr_t at = frame_pointer, end = thread->stack_low_addr + thread->stack_bytes;

	return at > frame->stack_addr && at > stack_addr && at <= end - 2 * sizeof(at) &&
	       at % sizeof(at) == 0 && ((const uintptr_t *)at)[1] == call_site;
}

/*
 * The call of the top frame ends. Or, if its function became counted since, a call within it that has no
 * frame. The stack address of that call is lower. @place: whose counters it adds to, see call_end().
 */
static ALWAYS_INLINE void exit_auto(struct log_header *log, struct log_thread *thread, uintptr_t stack_addr,
				    uintptr_t call_site, struct log_node *place, enum call_timing timing)
{
	struct log_frame *frame = top_frame(thread);
	struct log_node *node = node_at(log, frame->node);
	uint64_t ticks;
	int64_t heap_bytes = frame->thread_heap_bytes;

	if (unlikely(counted_is(node->function))) {
		struct counted_function *function = &counted_functions[node->function];

		if (!frame->start_ticks) {
			call_close_untimed(thread, frame, place);
			return;
		}
		if (!counted_has_frames(node->function) && stack_addr + FRAME_SLACK < frame->stack_addr &&
		    !ends_extended(thread, frame, stack_addr, call_site))
			return;
		if (function->nr_open)
			function->nr_open--;
	}
	ticks = call_end(log, thread, frame, place, timing, false);
	counted_note(log, thread, node, ticks, thread->heap_bytes > heap_bytes);
}

/* The exit of a counted call: it has no frame, and the top frame is of a call around it. */
static bool is_exit_of_counted(const struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	return live.timing == LOG_TIMING_AUTO && thread &&
	       stack_addr - thread->stack_low_addr < thread->stack_bytes &&
	       stack_addr <= top_frame(thread)->stack_addr &&
	       counted_without_frames(counted_find(function_addr));
}

/* The exit of a counted function, or one without a frame. */
static NOINLINE void exit_without_frame(uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	if (!is_exit_of_counted(self, function_addr, stack_addr))
		exit_slowly(function_addr, stack_addr);
	else if (!counted_functions[counted_find(function_addr)].nr_open)
		site_left(function_addr, return_addr);
}

static NOINLINE void exit_counting(struct log_header *log, struct log_thread *thread)
{
	call_end(log, thread, top_frame(thread), top_node(log, thread), TIME_NOT, false);
}

static NOINLINE void exit_auto_by_tsc(struct log_header *log, struct log_thread *thread, uintptr_t stack_addr,
				      uintptr_t call_site, struct log_node *place)
{
	exit_auto(log, thread, stack_addr, call_site, place, TIME_BY_TSC);
}

static NOINLINE void exit_by_tsc(struct log_header *log, struct log_thread *thread,
				 struct log_node *place)
{
	call_end(log, thread, top_frame(thread), place, TIME_BY_TSC, false);
}

static NOINLINE void exit_otherwise_timed(struct log_header *log, struct log_thread *thread,
					  uintptr_t stack_addr, uintptr_t call_site,
					  struct log_node *place)
{
	if (live.timing == LOG_TIMING_AUTO)
		exit_auto(log, thread, stack_addr, call_site, place, TIME_BY_CLOCK);
	else if (live.timing == LOG_TIMING_EXACT)
		call_end(log, thread, top_frame(thread), place, TIME_BY_CLOCK, false);
	else
		call_end(log, thread, top_frame(thread), place, TIME_NOT, false);
}

static ALWAYS_INLINE void exit_at(struct log_header *log, struct log_thread *thread, uintptr_t stack_addr,
				  uintptr_t call_site, struct log_node *place)
{
	if (live.timing == LOG_TIMING_AUTO && live.clock == LOG_CLOCK_TSC)
		exit_auto_by_tsc(log, thread, stack_addr, call_site, place);
	else if (live.timing == LOG_TIMING_EXACT && live.clock == LOG_CLOCK_TSC)
		exit_by_tsc(log, thread, place);
	else
		exit_otherwise_timed(log, thread, stack_addr, call_site, place);
}

static NOINLINE void exit_at_new_place(struct log_header *log, struct log_thread *thread,
				       uintptr_t stack_addr, uintptr_t call_site)
{
	struct log_node *place = call_place_find(thread, call_place_of(top_frame(thread)));

	exit_at(log, thread, stack_addr, call_site, place);
}

/* Calling lines are recorded, or the thread is not on the fast way. */
static NOINLINE void exit_timed(struct log_header *log, struct log_thread *thread, uintptr_t stack_addr,
				uintptr_t call_site)
{
	struct log_node *place = top_node(log, thread);

	if (live.has_call_places) {
		place = call_place_guess(log, thread, call_place_of(top_frame(thread)));
		if (unlikely(!place)) {
			exit_at_new_place(log, thread, stack_addr, call_site);
			return;
		}
	}
	exit_at(log, thread, stack_addr, call_site, place);
}

static NOINLINE void exit_otherwise(uint64_t function_addr, uintptr_t call_site, uintptr_t stack_addr,
				    uintptr_t return_addr)
{
	struct log_header *log = live.log;
	struct log_thread *thread = self;

	if (unlikely(live_never_records()))
		return;
	if (selection.is_on && likely(log && thread) &&
	    likely(exit_is_left_out(thread, function_addr, stack_addr))) {
		if (selection_excludes(function_addr))
			site_left(function_addr, return_addr);
		return;
	}
	if (switched_off() && likely(log && thread) && likely(gap_takes_exit(thread, stack_addr)))
		return;
	if (unlikely(!log || !thread || !is_top(thread, function_addr, stack_addr)))
		exit_without_frame(function_addr, stack_addr, return_addr);
	else
		exit_timed(log, thread, stack_addr, (uintptr_t)call_site);
}

EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
	struct log_header *log = live.hot_log;
	struct log_thread *thread = self;
	uintptr_t stack_addr = own_frame_addr();
	uintptr_t return_addr = (uintptr_t)__builtin_return_address(0);

	if (unlikely(!log || !thread))
		exit_otherwise((uint64_t)function, (uintptr_t)call_site, stack_addr, return_addr);
	else if (unlikely(!is_top(thread, (uint64_t)function, stack_addr)))
		exit_without_frame((uint64_t)function, stack_addr, return_addr);
	else if (live.hot_timing == LOG_TIMING_AUTO)
		exit_auto(log, thread, stack_addr, (uintptr_t)call_site, top_node(log, thread), TIME_BY_TSC);
	else if (likely(live.hot_timing == LOG_TIMING_EXACT))
		call_end(log, thread, top_frame(thread), top_node(log, thread), TIME_BY_TSC, false);
	else if (live.hot_timing == LOG_TIMING_COUNTS)
		exit_counting(log, thread);
	else
		exit_timed(log, thread, stack_addr, (uintptr_t)call_site);
}
