/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open calls and their stacks. Everything here is off the hot path: the first call on a stack, a frames area
 * that is full, another stack, calls that ended without an exit.
 */
#include "stacks.h"

#include "calls.h"
#include "slices.h"

#define FIRST_AREA_BYTES	(16u << 10)
#define LAST_AREA_BYTES		(4u << 20)

static struct log_frame *frames_of(struct log_frames *area)
{
	return (struct log_frame *)(area + 1);
}

static struct log_frames *area_at(uint32_t ref)
{
	return log_at(live.log, ref);
}

/* The area of the thread's top frame, and the stack that it belongs to. */
static struct log_frames *newest_area(const struct log_thread *thread)
{
	return area_at(thread->frames);
}

static struct log_frames *stack_of(const struct log_thread *thread)
{
	return area_at(newest_area(thread)->stack);
}

static uint64_t limit_of(struct log_frames *area)
{
	return (uint64_t)area + area->head.bytes - sizeof(struct log_frame);
}

/* The sentinel is never dead, matches no exit, and says where the thread is when nothing is open above it. */
static void set_sentinel(struct log_frames *area, uint32_t node)
{
	struct log_frame *sentinel = frames_of(area);

	sentinel->stack_addr = UINT64_MAX;
	sentinel->child_ticks = 0;
	sentinel->node = node;
}

static struct log_frames *new_area(const struct log_thread *thread, uint64_t bytes)
{
	return (struct log_frames *)recorder_new_area(LOG_AREA_FRAMES, thread->head.self, bytes,
						      sizeof(struct log_frames), sizeof(struct log_frame));
}

/* Make the hot path believe in @area and its stack's range; @top is the top frame in it. */
static void use_area(struct log_thread *thread, struct log_frames *area, struct log_frame *top)
{
	struct log_frames *stack = area_at(area->stack);

	thread->frames = area->head.self;
	thread->limit_addr = limit_of(area);
	thread->stack_low_addr = stack->stack_low_addr;
	thread->stack_bytes = stack->stack_bytes;
	thread->top_addr = (uint64_t)top;
}

/* ---- stacks: found by their range ---- */

static struct log_frames *find_stack(uintptr_t stack_addr)
{
	uint32_t ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);

	while (ref && stack_addr - area_at(ref)->stack_low_addr >= area_at(ref)->stack_bytes)
		ref = area_at(ref)->next_stack;
	return ref ? area_at(ref) : NULL;
}

/* A stack whose thread is gone. */
static struct log_frames *reuse_stack(struct log_thread *thread)
{
	uint32_t ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);

	for (; ref; ref = area_at(ref)->next_stack) {
		uint32_t nobody = 0;

		if (!__atomic_load_n(&area_at(ref)->head.owner, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&area_at(ref)->head.owner, &nobody, thread->head.self, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return area_at(ref);
	}
	return NULL;
}

static struct log_frames *make_stack(struct log_thread *thread, uintptr_t low, uintptr_t bytes)
{
	struct log_frames *stack = reuse_stack(thread);
	bool fresh = !stack;
	uint32_t newest;

	if (fresh)
		stack = new_area(thread, FIRST_AREA_BYTES);
	if (!stack)
		return NULL;
	set_sentinel(stack, thread->current);
	stack->stack = stack->head.self;
	stack->stack_low_addr = low;
	stack->stack_bytes = bytes;
	stack->left_ticks = 0;
	stack->top_addr = (uint64_t)frames_of(stack);
	stack->current = thread->current;
	newest = __atomic_load_n(&live.log->stacks, __ATOMIC_RELAXED);
	while (fresh) {
		stack->next_stack = newest;
		fresh = !__atomic_compare_exchange_n(&live.log->stacks, &newest, stack->head.self, false,
						     __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
	return stack;
}

int stack_init(struct log_thread *thread, uintptr_t low, uintptr_t bytes)
{
	struct log_frames *stack = make_stack(thread, low, bytes);

	if (!stack)
		return -1;
	use_area(thread, stack, frames_of(stack));
	return 0;
}

void stack_release_all(struct log_thread *thread)
{
	uint32_t ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);

	for (; ref; ref = area_at(ref)->next_stack) {
		struct log_frames *stack = area_at(ref);

		if (stack->head.owner != thread->head.self)
			continue;
		stack->stack_bytes = 0;
		__atomic_store_n(&stack->head.owner, 0, __ATOMIC_RELEASE);
	}
	thread->frames = 0;
	thread->stack_bytes = 0;
	thread->limit_addr = 0;
}

/* ---- switching between stacks ---- */

static bool is_open(const struct log_frames *stack)
{
	return stack->top_addr != (uint64_t)(stack + 1);
}

/*
 * Time that the stack we come back to has not spent itself: all of it since it was left when calls on the
 * other stack are still open (a coroutine that yielded), else the time of the calls that were made there.
 */
static void settle_time(struct log_frames *from, struct log_frames *to, uint64_t now)
{
	struct log_frame *sentinel = frames_of(from), *top = (struct log_frame *)to->top_addr;

	if (to->left_ticks && is_open(to))
		top->child_ticks += is_open(from) ? now - to->left_ticks : sentinel->child_ticks;
	sentinel->child_ticks = 0;
}

/* A coroutine that goes on in another thread: its open calls get their places in that thread's tree. */
static void move_stack(struct log_thread *thread, struct log_frames *stack)
{
	struct log_frames *area = stack;
	struct log_frame *frame = frames_of(area);
	uint32_t node = thread->current;

	frame->node = node;
	while ((uint64_t)frame != stack->top_addr) {
		if ((uint64_t)frame == limit_of(area)) {
			area = area_at(area->head.next);
			frame = frames_of(area);
		} else {
			frame++;
			node = path_find(thread, node, frame->function_addr);
		}
		frame->node = node;
	}
	stack->current = node;
}

/* The stack of this thread that ends at @high: main's, which has grown. */
static struct log_frames *find_grown(const struct log_thread *thread, uintptr_t high)
{
	uint32_t ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);

	for (; ref; ref = area_at(ref)->next_stack) {
		struct log_frames *stack = area_at(ref);

		if (stack->head.owner == thread->head.self && stack->stack_bytes &&
		    stack->stack_low_addr + stack->stack_bytes == high)
			return stack;
	}
	return NULL;
}

/* Known stacks may lie in the same mapping: the new one is between them. */
static void cut_range(uintptr_t stack_addr, uintptr_t *low, uintptr_t *high)
{
	uint32_t ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);

	for (; ref; ref = area_at(ref)->next_stack) {
		uintptr_t begin = area_at(ref)->stack_low_addr, end = begin + area_at(ref)->stack_bytes;

		if (end <= stack_addr && end > *low)
			*low = end;
		if (begin > stack_addr && begin < *high)
			*high = begin;
	}
}

/* The stack of an address that lies in none that is known: a signal stack, else the mapping around it. */
static struct log_frames *discover_stack(struct log_thread *thread, uintptr_t stack_addr)
{
	struct log_frames *stack;
	uintptr_t low, high;

	if (stack_range(stack_addr, &low, &high) < 0) {
		low = stack_addr & ~(uintptr_t)(LOG_AREA_ALIGN - 1);	/* at least this page */
		high = low + LOG_AREA_ALIGN;
	}
	stack = find_grown(thread, high);
	cut_range(stack_addr, &low, &high);
	if (!stack)
		return make_stack(thread, low, high - low);
	stack->stack_bytes += stack->stack_low_addr - low;
	stack->stack_low_addr = low;
	return stack;
}

/* Leave the current stack for the one that @stack_addr lies in. False: there is no room for its frames. */
static bool switch_stack(struct log_thread *thread, uintptr_t stack_addr)
{
	uint64_t now = call_clock(call_timing());
	struct log_frames *from = thread->frames ? stack_of(thread) : NULL, *to = find_stack(stack_addr), *area;

	if (!to)
		to = discover_stack(thread, stack_addr);
	if (!to)
		return false;
	if (to == from) {	/* it has grown, or its overflow has ended */
		use_area(thread, newest_area(thread), top_frame(thread));
		return true;
	}
	if (from) {
		from->top_addr = thread->top_addr;
		from->current = thread->current;
		from->left_ticks = now;
		settle_time(from, to, now);
	}
	if (!is_open(to))
		to->current = frames_of(to)->node = thread->current;
	else if (to->head.owner != thread->head.self)
		move_stack(thread, to);
	to->head.owner = thread->head.self;
	to->left_ticks = 0;
	for (area = to; to->top_addr < (uint64_t)area || to->top_addr > limit_of(area);)
		area = area_at(area->head.next);
	use_area(thread, area, (struct log_frame *)to->top_addr);
	thread->current = to->current;
	return true;
}

/* ---- more frames, and none left ---- */

/* Frames above a full area: the one that was used before, or a new one of twice the size. */
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
	set_sentinel(next, top_frame(thread)->node);
	use_area(thread, next, frames_of(next));
	return true;
}

bool stack_has_room(struct log_thread *thread)
{
	return thread->top_addr < thread->limit_addr || next_area(thread);
}

/* The top is the sentinel of an area that has one below: go down, and hand the time on. */
static bool previous_area(struct log_thread *thread)
{
	struct log_frames *area = newest_area(thread), *below = area_at(area->below);
	struct log_frame *top = (struct log_frame *)limit_of(below);

	if (thread->top_addr != (uint64_t)frames_of(area) || !area->below)
		return false;
	top->child_ticks += frames_of(area)->child_ticks;
	use_area(thread, below, top);
	return true;
}

/* No room for a frame: the call is counted under the path that is open; its exit finds the depth raised. */
static void overflow(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	struct log_node *node;

	if (!thread->overflow_depth++)
		thread->overflow_addr = stack_addr;
	thread->stack_bytes = 0;	/* every hook comes here until it is over */
	node = node_at(live.log, path_find(thread, thread->current, function_addr));
	node->calls++;
	node->untimed_calls++;
	log_lose(live.log, LOG_LOST_FRAMES);
}

/* ---- calls without an exit ---- */

static void end_broken(struct log_thread *thread)
{
	log_lose(live.log, LOG_LOST_BROKEN_CALLS);
	call_end_top(thread, true);
}

static bool is_dead(const struct log_frame *top, uintptr_t stack_addr, uintptr_t return_addr)
{
	return top->stack_addr < stack_addr || (top->stack_addr == stack_addr && top->return_addr == return_addr);
}

/* A top frame whose node is not the thread's is being pushed or popped by the code we interrupt. */
static bool is_whole(const struct log_thread *thread)
{
	return top_frame(thread)->function_addr && top_frame(thread)->node == thread->current;
}

static void end_dead(struct log_thread *thread, uintptr_t stack_addr, uintptr_t return_addr)
{
	for (;;) {
		if (previous_area(thread))
			continue;
		if (!is_whole(thread) || !is_dead(top_frame(thread), stack_addr, return_addr))
			return;
		end_broken(thread);
	}
}

static bool on_current_stack(struct log_thread *thread, uintptr_t stack_addr)
{
	return thread->frames && stack_addr - stack_of(thread)->stack_low_addr < stack_of(thread)->stack_bytes;
}

bool stack_before_enter(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr, uintptr_t return_addr)
{
	if (!on_current_stack(thread, stack_addr) && !switch_stack(thread, stack_addr)) {
		log_lose(live.log, LOG_LOST_CALLS);
		return false;
	}
	if (thread->overflow_depth) {
		if (stack_addr <= thread->overflow_addr) {
			overflow(thread, function_addr, stack_addr);
			return false;
		}
		thread->overflow_depth = 0;
		use_area(thread, newest_area(thread), top_frame(thread));
	}
	end_dead(thread, stack_addr, return_addr);
	if (stack_has_room(thread))
		return true;
	overflow(thread, function_addr, stack_addr);
	return false;
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

bool stack_before_exit(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	if (!on_current_stack(thread, stack_addr) &&
	    (!find_stack(stack_addr) || !switch_stack(thread, stack_addr))) {
		log_lose(live.log, LOG_LOST_UNKNOWN_EXITS);
		return false;
	}
	if (thread->overflow_depth) {
		if (!--thread->overflow_depth)
			use_area(thread, newest_area(thread), top_frame(thread));
		return false;
	}
	if (!is_function_open(thread, function_addr)) {
		log_lose(live.log, LOG_LOST_UNKNOWN_EXITS);
		return false;
	}
	for (;;) {
		if (previous_area(thread))
			continue;
		if (top_frame(thread)->function_addr == function_addr)
			return true;
		end_broken(thread);
	}
}

void stack_unwind_to(struct log_thread *thread, uintptr_t stack_addr)
{
	if (thread->slice_depth) {	/* out of a signal handler that had interrupted a write */
		thread->slices[0] = thread->slices[1] = 0;
		thread->slice_depth = 0;
	}
	if (!on_current_stack(thread, stack_addr) || thread->overflow_depth)
		return;		/* the next hook sees where it is */
	end_dead(thread, stack_addr, 0);
}

uint64_t stack_close_all(struct log_thread *thread)
{
	uint64_t closed = 0;

	if (!thread->frames)
		return 0;
	thread->overflow_depth = 0;
	use_area(thread, newest_area(thread), top_frame(thread));
	for (;;) {
		if (previous_area(thread))
			continue;
		if (top_frame(thread) == frames_of(stack_of(thread)))
			return closed;
		end_broken(thread);
		closed++;
	}
}
