/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that do not simply follow each other: without room for a frame, or ended without an exit. */
#include "preload/stacks/frames.h"

#include <signal.h>

#include "preload/calls/counted.h"
#include "preload/calls/selection.h"
#include "preload/stacks/coroutine_stacks.h"
#include "preload/stacks/paused_calls.h"
#include "preload/stacks/stacks.h"
#include "preload/stacks/thread.h"

#define WAIT_ROOM_BYTES	(32u << 10)	/* room that a wait may need: frames, nodes, slices, a record */

bool stack_is_deep(const struct log_thread *thread)
{
	const struct log_frames *area = thread->frames ? newest_area(thread) : NULL;
	uint64_t depth;

	if (!selection.most_depth || !area)
		return false;
	depth = (uint64_t)(top_frame(thread) - (const struct log_frame *)(area + 1));
	for (; area->below; area = area_at(area->below))
		depth += (area_at(area->below)->head.bytes - sizeof(*area)) / sizeof(struct log_frame) - 1;
	return depth >= selection.most_depth;
}

/*
 * This call and calls within it get no frame: the exit finds the depth raised. A call that is too deep for
 * the selection is not counted; one without room is counted under the open path.
 */
static void overflow(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	struct log_node *node;

	if (live.timing == LOG_TIMING_AUTO && counted_without_frames(counted_find(function_addr))) {
		counted_add(node_at(live.log, path_find(thread, thread->current, function_addr)));
		return; /* its exit says nothing either */
	}
	if (!thread->overflow_depth++)
		thread->overflow_addr = stack_addr;
	thread->stack_bytes = 0;	/* all hooks come here until it is over */
	if (stack_is_deep(thread) || switched_off())
		return;
	node = node_at(live.log, path_find(thread, thread->current, function_addr));
	node->calls++;
	node->untimed_calls++;
	log_lose(live.log, LOG_LOST_FRAMES);
}

static bool is_region(uint64_t function_addr)
{
	return function_addr & LOG_FUNCTION_REGION && function_addr != LOG_FUNCTION_GAP;
}

/* One place may begin several regions, each within the one before. */
static bool is_dead(const struct log_frame *top, uint64_t function_addr, uintptr_t stack_addr,
		    uintptr_t return_addr)
{
	if (top->stack_addr != stack_addr)
		return top->stack_addr < stack_addr;
	return top->return_low == (uint32_t)return_addr &&
	       !(is_region(function_addr) && is_region(top->function_addr) &&
		 top->function_addr != function_addr);
}

/* A top frame whose node is not the thread's is being pushed or popped by code that was interrupted. */
static bool is_whole(const struct log_thread *thread)
{
	return top_frame(thread)->node == thread->current;
}

/*
 * The top call ends without an exit. It does not count if a handler left the code that was pushing or popping
 * it.
 */
static void end_top(struct log_thread *thread)
{
	if (is_whole(thread) && is_gap(top_frame(thread)))
		gap_end(thread);
	else if (is_whole(thread))
		frames_end_top(thread, false);
	else
		thread->top_addr = (uint64_t)(top_frame(thread) - 1);
}

static void end_dead(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr,
		     uintptr_t return_addr)
{
	for (;;) {
		if (frames_go_down(thread))
			continue;
		if (!is_dead(top_frame(thread), function_addr, stack_addr, return_addr))
			return;
		end_top(thread);
	}
}

/* A raw clone without a TLS block of its own shares its creator's, but has other stacks. NULL: no room. */
static struct log_thread *running_thread(struct log_thread *thread, uintptr_t stack_addr)
{
	struct log_frames *stack;
	uint32_t tid;

	if (stack_is_current(thread, stack_addr) || !thread->tid || live_is_sealed())
		return thread;
	stack = stack_find(stack_addr);
	if (stack && stack->head.owner == thread->head.self)
		return thread;
	tid = (uint32_t)sys_gettid();
	return tid == thread->tid ? thread : record_for_clone(tid);
}

/*
 * A signal handler's hooks that come while stacks are being changed are dropped and counted. So are hooks
 * that are being measured when recording is switched off, but uncounted: they are no calls of the program,
 * and their thread is not in the log.
 */
static bool begin_repair(struct log_thread *thread, enum log_loss loss)
{
	if (thread->repair_addr) {
		if (thread->head.self)
			log_lose(live.log, loss);
		return false;
	}
	thread->repair_addr = (uint64_t)__builtin_frame_address(0);
	signal_fence();
	return true;
}

static void end_repair(struct log_thread *thread)
{
	signal_fence();
	thread->repair_addr = 0;
}

static void end_overflow(struct log_thread *thread)
{
	thread->overflow_depth = 0;
	frames_use(thread, newest_area(thread), top_frame(thread));
}

/* Calls without a frame that a jump left have no exits. Does this exit end the top frame's call? */
static bool is_above_overflow(const struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	const struct log_frame *top = top_frame(thread);

	return thread->overflow_depth > 1 && stack_addr > thread->overflow_addr &&
	       stack_addr >= top->stack_addr && function_addr == top->function_addr;
}

static bool make_way(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr,
		     uintptr_t return_addr)
{
	if (selection_excludes(function_addr))
		return false;
	if (!stack_is_current(thread, stack_addr) && !stack_switch(thread, stack_addr)) {
		log_lose(live.log, LOG_LOST_CALLS);
		return false;
	}
	if (thread->overflow_depth) {
		if (stack_addr <= thread->overflow_addr) {
			overflow(thread, function_addr, stack_addr);
			return false;
		}
		end_overflow(thread);
	}
	coroutine_stacks_before_enter(thread, stack_addr);
	if (switched_off())
		gap_stretch(thread, stack_addr);
	end_dead(thread, function_addr, stack_addr, return_addr);
	if (!switched_off())
		gap_look(thread);
	if (selection_is_beside(thread, function_addr))
		return false;
	if (switched_off() && gap_count(thread, stack_addr))
		return false;
	if (!switched_off() && !stack_is_deep(thread) && stack_has_room(thread)) {
		coroutine_stacks_come_near(thread, stack_addr);
		return true;
	}
	overflow(thread, function_addr, stack_addr);
	return false;
}

static bool before_enter(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr,
			 uintptr_t return_addr)
{
	bool has_room;

	if (!begin_repair(thread, LOG_LOST_CALLS))
		return false;
	has_room = make_way(thread, function_addr, stack_addr, return_addr);
	end_repair(thread);
	return has_room;
}

bool stack_before_enter(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr,
			uintptr_t return_addr)
{
	struct log_thread *running = running_thread(thread, stack_addr);
	struct log_frame *frame;

	if (running == thread)
		return before_enter(thread, function_addr, stack_addr, return_addr);
	if (!running)
		log_lose(live.log, LOG_LOST_CALLS);
	if (!running || !before_enter(running, function_addr, stack_addr, return_addr))
		return false;
	frame = call_claim(live.log, running, function_addr, stack_addr, return_addr, call_timing());
	frame->site_low = 0;
	call_begin_slowly(running, frame);
	return false;
}

/* A call above this one on the stack is over; what is below it is around this one, or on a signal stack. */
static bool is_free_for_wait(struct log_thread *thread, uintptr_t stack_addr)
{
	if (!thread->frames && stack_init(thread, 0, 0) < 0)
		return false;
	if (!stack_is_for_waits(thread))
		return false;
	if (top_frame(thread)->function_addr && top_frame(thread)->stack_addr < stack_addr)
		frames_end_top(thread, false);
	return !top_frame(thread)->function_addr;
}

/*
 * In a process without hooks only the sampling task grows the log, so that no thread opens a descriptor that
 * the program does not know of.
 */
static bool has_room_for_waits(struct log_header *log)
{
	uint64_t tail_bytes = __atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED);

	if (likely(tail_bytes + WAIT_ROOM_BYTES <= __atomic_load_n(&log->file_bytes, __ATOMIC_RELAXED)))
		return true;
	log_lose(log, LOG_LOST_WAITS);
	return false;
}

bool stack_before_wait(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr,
		       uintptr_t return_addr)
{
	bool is_free;

	if (live.log->has_hooks)
		return stack_before_enter(thread, function_addr, stack_addr, return_addr);
	if (selection.is_on || switched_off() || !has_room_for_waits(live.log) ||
	    !begin_repair(thread, LOG_LOST_WAITS))
		return false;
	is_free = is_free_for_wait(thread, stack_addr);
	end_repair(thread);
	return is_free;
}

/* Is the function open on the thread's stack? Looks down through its areas. */
static bool is_function_open(const struct log_thread *thread, uint64_t function_addr)
{
	struct log_frames *area = newest_area(thread);
	struct log_frame *frame = top_frame(thread);

	for (;;) {
		for (; frame > frames_of(area); frame--)
			if (frame->function_addr == function_addr)
				return true;
		if (!area->below)
			return false;
		area = area_at(area->below);
		frame = (struct log_frame *)limit_of(area);
	}
}

/* It does not count as unknown if the call was outside of the focus, or began while recording was off. */
static void lose_exit(void)
{
	if (!selection_now()->has_focus && !selection.has_changed && !switched_ever())
		log_lose(live.log, LOG_LOST_UNKNOWN_EXITS);
}

/*
 * After a change of the focus, an open call of the function may be another one, and the call that exits may
 * have no frame. So only calls that this exit must have left are ended. An exit by a jump has the caller's
 * place on the stack: equal is not above.
 */
static bool find_nearby_call(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	for (;;) {
		const struct log_frame *top = top_frame(thread);

		if (frames_go_down(thread))
			continue;
		if (top->function_addr == function_addr && is_whole(thread))
			return true;
		if (!top->function_addr || top->stack_addr >= stack_addr)
			return false;
		end_top(thread);
	}
}

static bool find_call(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	bool is_counted =
		live.timing == LOG_TIMING_AUTO && counted_without_frames(counted_find(function_addr));
	bool is_open;

	if (selection_excludes(function_addr))
		return false;
	if (!stack_is_current(thread, stack_addr) &&
	    (!stack_find(stack_addr) || !stack_switch(thread, stack_addr))) {
		lose_exit();
		return false;
	}
	if (is_above_overflow(thread, function_addr, stack_addr)) {
		end_overflow(thread);
	} else if (thread->overflow_depth && is_counted) {
		return false;
	} else if (thread->overflow_depth) {
		if (!--thread->overflow_depth)
			end_overflow(thread);
		return false;
	}
	coroutine_stacks_before_exit(thread, function_addr, stack_addr);
	if (gap_has_exit(thread, function_addr, stack_addr))
		return false;
	if (selection.has_changed)
		return find_nearby_call(thread, function_addr, stack_addr);
	is_open = is_function_open(thread, function_addr);
	while (is_open && (frames_go_down(thread) || top_frame(thread)->function_addr)) {
		if (top_frame(thread)->function_addr == function_addr && is_whole(thread))
			return true;
		end_top(thread);
	}
	if (!is_counted)
		lose_exit();
	return false;
}

void stack_exit(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	thread = running_thread(thread, stack_addr);
	if (!thread || !begin_repair(thread, LOG_LOST_UNKNOWN_EXITS))
		return;
	if (find_call(thread, function_addr, stack_addr)) {
		frames_end_top(thread, true);
		stack_after_exit(thread);
		coroutine_stacks_come_near(thread, stack_addr);
	}
	end_repair(thread);
}

/* The signal stack that the code runs on. False: on none, or it cannot be asked. */
static bool read_signal_stack(stack_t *stack)
{
	return !live_is_sealed() && raw_syscall(SYS_sigaltstack, 0, (long)stack, 0, 0, 0, 0) == 0 &&
	       stack->ss_flags & SS_ONSTACK;
}

static bool is_in(const stack_t *stack, uintptr_t addr)
{
	return addr - (uintptr_t)stack->ss_sp < stack->ss_size;
}

/* Does a jump to @stack_addr end code that a handler interrupted while that code changed the stacks? */
static bool leaves_repair(const struct log_thread *thread, uintptr_t stack_addr, const stack_t *signal_stack)
{
	if (!thread->repair_addr)
		return false;
	if (signal_stack && !(is_in(signal_stack, stack_addr) && is_in(signal_stack, thread->repair_addr)))
		return !is_in(signal_stack, stack_addr);
	return stack_addr > thread->repair_addr;
}

/* Its change may be half done: its calls are taken from the area that it used last. */
static void give_up_repair(struct log_thread *thread)
{
	struct log_frames *area = thread->frames ? newest_area(thread) : NULL;

	if (!area) {	/* its first call ever */
		end_repair(thread);
		return;
	}
	if (thread->top_addr < (uint64_t)frames_of(area) || thread->top_addr > limit_of(area)) {
		thread->top_addr = (uint64_t)frames_of(area);
		thread->current = frames_of(area)->node;
	}
	frames_use(thread, area, top_frame(thread));
	end_repair(thread);
}

static void leave_stacks(struct log_thread *thread, uintptr_t stack_addr)
{
	stack_t stack;
	bool on_signal_stack = read_signal_stack(&stack);

	if (leaves_repair(thread, stack_addr, on_signal_stack ? &stack : NULL))
		give_up_repair(thread);
	if (on_signal_stack && !is_in(&stack, stack_addr) && thread->frames && stack_of(thread)->is_signal) {
		stack_close_all(thread);	/* left for good, unlike a coroutine's stack */
		stack_after_exit(thread);
	}
}

void stack_unwind_to(struct log_thread *thread, uintptr_t stack_addr)
{
	if (thread->slice_depth) {	/* the jump leaves a handler that had interrupted a write */
		thread->slices[0] = thread->slices[1] = 0;
		thread->slice_depth = 0;
	}
	if (thread->repair_addr || (thread->frames && stack_of(thread)->is_signal))
		leave_stacks(thread, stack_addr);
	if (!thread->frames)
		return;
	if (stack_is_for_waits(thread) && top_frame(thread)->function_addr &&
	    top_frame(thread)->stack_addr < stack_addr)
		frames_end_top(thread, false);
	if (!stack_is_current(thread, stack_addr))
		return;		/* the next hook finds out where it is */
	if (thread->overflow_depth && stack_addr <= thread->overflow_addr)
		return;
	if (thread->overflow_depth)
		end_overflow(thread);
	end_dead(thread, 0, stack_addr, 0);
}

void stack_expect(struct log_thread *thread, uintptr_t low, uintptr_t bytes)
{
	if (thread->overflow_depth || !begin_repair(thread, LOG_LOST_BROKEN_CALLS))
		return;
	stack_add(thread, low, bytes);
	end_repair(thread);
}

void stack_end_gap(struct log_thread *thread)
{
	if (!thread->frames || thread->overflow_depth ||
	    !stack_is_current(thread, (uintptr_t)__builtin_frame_address(0)) ||
	    !begin_repair(thread, LOG_LOST_UNKNOWN_EXITS))
		return;
	if (is_whole(thread))
		gap_look(thread);
	end_repair(thread);
}
