/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Areas of frames: the first of a stack, one more when it is full, and back. */
#include "preload/stacks/frames.h"

#include "preload/calls/counted.h"
#include "preload/stacks/error_records.h"
#include "preload/stacks/paused_calls.h"
#include "preload/stacks/stacks.h"
#include "preload/state/log_space.h"
#include "preload/state/rss_at_calls.h"

#define LEAST_AREA_BYTES	(4u << 10)	/* in a thread without hooks, for the call that it waits in */
#define FIRST_AREA_BYTES	(16u << 10)
#define LAST_AREA_BYTES		(4u << 20)

void frames_set_sentinel(struct log_frames *area, uint32_t node)
{
	struct log_frame *sentinel = frames_of(area);

	sentinel->stack_addr = UINT64_MAX;
	sentinel->child_ticks = 0;
	sentinel->node = node;
}

static struct log_frames *new_area(const struct log_thread *thread, uint64_t bytes)
{
	struct log_area *area = log_space_new_area(LOG_AREA_FRAMES, thread->head.self, bytes,
						   sizeof(struct log_frames), sizeof(struct log_frame));

	if (area && live.reads_memory)
		area->beside = memory_new_area(thread, area->bytes / sizeof(struct log_frame));
	return (struct log_frames *)area;
}

void frames_use(struct log_thread *thread, struct log_frames *area, struct log_frame *top)
{
	struct log_frames *stack = area_at(area->stack);
	/*
	 * Decides which hooks must go the slow way. A handler may have interrupted a hook, which must find
	 * everything as it was, so all hooks of a handler do. So does the first hook on a stack near others,
	 * and all hooks while an exception is on its way. A gap ends at the first hook after recording went
	 * on.
	 */
	uint64_t bytes = stack->is_signal || stack->is_mapping || is_unwinding(thread) || gap_is_idle(top)
				 ? 0
				 : stack->stack_bytes;

	/* With the new limit and the old top a handler's hook would write frames behind the old area. */
	thread->stack_bytes = 0;
	signal_fence();
	thread->frames = area->head.self;
	thread->limit_addr = limit_of(area);
	thread->stack_low_addr = stack->stack_low_addr;
	thread->top_addr = (uint64_t)top;
	signal_fence();
	thread->stack_bytes = bytes;
}

struct log_frames *frames_new(const struct log_thread *thread)
{
	return new_area(thread, live.log->has_hooks ? FIRST_AREA_BYTES : LEAST_AREA_BYTES);
}

/* The area above a full one: the area that was used there before, or a new one of twice the size. */
static bool next_area(struct log_thread *thread)
{
	struct log_frames *area = newest_area(thread), *next;
	uint64_t bytes = area->head.bytes < LAST_AREA_BYTES ? area->head.bytes * 2 : LAST_AREA_BYTES;

	next = area->head.next ? area_at(area->head.next) : new_area(thread, bytes);
	if (!next)
		return false;
	next->stack = area->stack;
	next->below = area->head.self;
	area->head.next = next->head.self;
	frames_set_sentinel(next, top_frame(thread)->node);
	frames_use(thread, next, frames_of(next));
	return true;
}

bool stack_has_room(struct log_thread *thread)
{
	return thread->top_addr < thread->limit_addr || next_area(thread);
}

bool frames_go_down(struct log_thread *thread)
{
	struct log_frames *area = newest_area(thread), *below = area_at(area->below);
	struct log_frame *top = (struct log_frame *)limit_of(below);
	struct log_unwinding *unwinding;

	if (thread->top_addr != (uint64_t)frames_of(area) || !area->below)
		return false;
	unwinding = unwinding_of_top(thread);
	top->child_ticks += frames_of(area)->child_ticks;
	frames_use(thread, below, top);
	if (unlikely(unwinding))
		unwinding_move(unwinding, thread);
	return true;
}

void frames_look_again(struct log_thread *thread)
{
	if (thread->frames && !thread->overflow_depth)
		frames_use(thread, newest_area(thread), top_frame(thread));
}

void frames_end_top(struct log_thread *thread, bool has_exit)
{
	struct log_unwinding *unwinding = unwinding_of_top(thread);
	uint32_t before = thread->broken_reason, reason = has_exit ? LOG_BROKEN_UNSEEN : before;
	bool went_slowly = !thread->stack_bytes;

	if (!has_exit && top_frame(thread)->start_ticks &&
	    counted_is(node_at(live.log, top_frame(thread)->node)->function)) {
		call_drop_top(thread);
		return;
	}
	if (!has_exit)
		log_lose(live.log, LOG_LOST_BROKEN_CALLS);
	if (unlikely(unwinding) && !reason)
		reason = unwinding->reason;
	thread->broken_reason = reason;
	error_broke_call(reason);
	call_end_top(thread, !has_exit || reason);
	thread->broken_reason = before;
	if (unlikely(unwinding))
		unwinding_move(unwinding, thread);
	else if (unlikely(went_slowly))
		frames_look_again(thread);
}

static void end_broken(struct log_thread *thread)
{
	frames_end_top(thread, is_gap(top_frame(thread)));
}

static void end_untimed(struct log_thread *thread)
{
	if (!is_gap(top_frame(thread)))
		log_lose(live.log, LOG_LOST_BROKEN_CALLS);
	call_end_untimed(thread);
}

static uint64_t close_all(struct log_thread *thread, void (*end_call)(struct log_thread *))
{
	uint64_t closed = 0;

	if (!thread->frames)
		return 0;
	thread->overflow_depth = 0;
	frames_use(thread, newest_area(thread), top_frame(thread));
	for (;;) {
		if (frames_go_down(thread))
			continue;
		if (top_frame(thread) == frames_of(stack_of(thread)))
			return closed;
		closed += !is_gap(top_frame(thread));
		end_call(thread);
	}
}

uint64_t stack_close_all(struct log_thread *thread)
{
	return close_all(thread, end_broken);
}

uint64_t frames_close_gone(struct log_thread *thread)
{
	struct log_frames *area;

	if (!thread->frames)
		return 0;
	area = newest_area(thread);
	if (thread->top_addr < (uint64_t)frames_of(area) || thread->top_addr > limit_of(area) ||
	    thread->repair_addr)
		return 0;	/* its call ended in a handler that interrupted a repair */
	if (thread->top_addr != (uint64_t)frames_of(area) && top_frame(thread)->node != thread->current)
		thread->top_addr -= sizeof(struct log_frame);	/* it was being pushed or popped */
	return close_all(thread, end_untimed);
}
