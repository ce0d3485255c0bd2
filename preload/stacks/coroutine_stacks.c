/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distinguishes stacks that share a mapping by the places of their calls. */
#include "preload/stacks/coroutine_stacks.h"

#include "preload/stacks/frames.h"
#include "preload/stacks/stacks.h"
#include "preload/state/rss_at_calls.h"

/* Successive calls on one stack are not further apart, as a rule; no stack is smaller than this. */
#define NEAR_BYTES	4096u
/* Nor does a function on a coroutine's stack have locals of this size. */
#define FAR_BYTES	16384u

/* An open call, or the sentinel below all of them. */
struct place {
	struct log_frames *area;
	struct log_frame *frame;
};

static struct place skip_sentinel(struct place place)
{
	while (place.frame == frames_of(place.area) && place.area->below) {
		place.area = area_at(place.area->below);
		place.frame = (struct log_frame *)limit_of(place.area);
	}
	return place;
}

static struct place place_of_top(const struct log_thread *thread)
{
	return skip_sentinel((struct place){ newest_area(thread), top_frame(thread) });
}

static struct place place_below(struct place place)
{
	place.frame--;
	return skip_sentinel(place);
}

static struct place place_above(struct place place)
{
	if ((uint64_t)place.frame == limit_of(place.area)) {
		place.area = area_at(place.area->head.next);
		place.frame = frames_of(place.area);
	}
	place.frame++;
	return place;
}

static bool is_call(struct place place)
{
	return place.frame && place.frame != frames_of(place.area);
}

/* Split @stack at @high: make a new stack of the part below, or of the part above. NULL: there is no room. */
static struct log_frames *split(struct log_thread *thread, struct log_frames *stack, uintptr_t middle,
				bool is_below)
{
	const uintptr_t low = stack->stack_low_addr, high = low + stack->stack_bytes;
	struct log_frames *part =
		stack_make(thread, is_below ? low : middle, is_below ? middle - low : high - middle,
			   STACK_OR_SEVERAL, false);

	if (!part)
		return NULL;
	stack->stack_low_addr = is_below ? middle : low;
	stack->stack_bytes = is_below ? high - middle : middle - low;
	return part;
}

/* The calls from @bottom up to the top were not made by the calls below them: move them to @other. */
static void move_calls(struct log_thread *thread, struct place bottom, struct log_frames *other)
{
	struct log_frames *stack = stack_of(thread);
	struct place top = place_of_top(thread), below = place_below(bottom), at = bottom;
	uint64_t now = call_clock(call_timing());

	frames_use(thread, other, frames_of(other));
	while (stack_has_room(thread)) {
		thread->top_addr += sizeof(struct log_frame);
		*top_frame(thread) = *at.frame;
		if (live.reads_memory)
			memory_keep(thread, top_frame(thread), memory_of(at.area, at.frame));
		if (at.frame == top.frame)
			break;
		at = place_above(at);
	}
	other->top_addr = thread->top_addr;
	other->left_ticks = now;
	stack_move(thread, other, frames_of(stack)->node);
	frames_use(thread, below.area, below.frame);
	if (bottom.frame->start_ticks)
		below.frame->child_ticks += now - bottom.frame->start_ticks;
	thread->current = below.frame->node;
}

/*
 * The calls from @bottom up to the top are not on the stack that runs now, whose calls are above them in
 * memory. The memory in between belongs to the running stack, except for the room above the first of these
 * calls.
 */
static void part(struct log_thread *thread, struct place bottom)
{
	struct log_frames *stack = stack_of(thread), *other;
	uintptr_t middle = bottom.frame->stack_addr + NEAR_BYTES / 2;
	bool stay = is_call(place_below(bottom));

	other = split(thread, stack, middle, stay);
	if (!other)
		return;
	if (stay)
		move_calls(thread, bottom, other);
	else
		stack_change(thread, other);
}

void coroutine_stacks_before_enter(struct log_thread *thread, uintptr_t stack_addr)
{
	struct place top, at, bottom = { NULL, NULL };
	struct log_frames *other;

	if (!stack_of(thread)->is_mapping)
		return;
	top = place_of_top(thread);
	for (at = top; is_call(at) && at.frame->stack_addr < stack_addr; at = place_below(at))
		bottom = at;
	if (is_call(bottom) && stack_addr - bottom.frame->stack_addr >= NEAR_BYTES) {
		part(thread, bottom);
	} else if (is_call(top) && !is_call(bottom) && top.frame->stack_addr - stack_addr >= FAR_BYTES) {
		other = split(thread, stack_of(thread), stack_addr + NEAR_BYTES / 2, true);
		if (other)
			stack_change(thread, other);
	}
}

/* The call that ends is the nearest one: the same function may be open on several stacks. */
void coroutine_stacks_before_exit(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	struct place at, bottom = { NULL, NULL }, above = { NULL, NULL };
	uint64_t nearest_addr = 0;

	if (!stack_of(thread)->is_mapping)
		return;
	for (at = place_of_top(thread); is_call(at) && at.frame->stack_addr <= stack_addr;
	     at = place_below(at)) {
		if (at.frame->function_addr == function_addr && at.frame->stack_addr > nearest_addr) {
			nearest_addr = at.frame->stack_addr;
			bottom = above;
		}
		above = at;
	}
	if (is_call(bottom) && nearest_addr - bottom.frame->stack_addr >= NEAR_BYTES)
		part(thread, bottom);
}

void coroutine_stacks_come_near(struct log_thread *thread, uintptr_t stack_addr)
{
	struct log_frames *stack = stack_of(thread);
	uintptr_t low, high, first;

	if (!stack->is_mapping)
		return;
	first = thread->top_addr == (uint64_t)frames_of(stack) ? stack_addr : frames_of(stack)[1].stack_addr;
	low = stack->stack_low_addr;
	high = low + stack->stack_bytes;
	if (low + NEAR_BYTES < stack_addr)
		low = stack_addr - NEAR_BYTES;
	if (first < stack_addr)
		first = stack_addr;
	if (first + NEAR_BYTES / 2 < high)
		high = first + NEAR_BYTES / 2;
	thread->stack_low_addr = low;
	thread->stack_bytes = high - low;
}
