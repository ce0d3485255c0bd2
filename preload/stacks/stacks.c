/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks: the first call on one, and the change from one to another. */
#include "preload/stacks/stacks.h"

#include "preload/samples/cpu_samples.h"
#include "preload/stacks/thread.h"

int stack_init(struct log_thread *thread, uintptr_t low, uintptr_t bytes)
{
	struct log_frames *stack = stack_make(thread, low, bytes, STACK_ALONE, true);

	if (!stack)
		return -1;
	frames_use(thread, stack, frames_of(stack));
	samples_begin(thread);
	return 0;
}

/* ---- switching between stacks ---- */

static bool is_open(const struct log_frames *stack)
{
	return stack->top_addr != (uint64_t)(stack + 1);
}

static bool is_ours(const struct log_thread *thread, const struct log_frames *stack)
{
	return __atomic_load_n(&stack->head.owner, __ATOMIC_ACQUIRE) == thread->head.self;
}

bool stack_is_current(struct log_thread *thread, uintptr_t stack_addr)
{
	const struct log_frames *stack = thread->frames ? stack_of(thread) : NULL;

	return stack && (thread->is_clone || stack_holds(stack, stack_addr)) && is_ours(thread, stack);
}

/*
 * Time that the stack to which the thread returns has not spent itself: all time since it was left, if calls
 * on the other stack are still open (a coroutine that yielded), else the time of the calls that were made
 * there.
 */
static void settle_time(struct log_frames *from, struct log_frames *to, uint64_t now)
{
	struct log_frame *top = (struct log_frame *)to->top_addr;
	uint64_t passed = now - to->left_ticks, spent = passed;

	if (from && !is_open(from) && frames_of(from)->child_ticks < passed)
		spent = frames_of(from)->child_ticks;
	if (to->left_ticks && is_open(to))
		top->child_ticks += spent;
	if (from)
		frames_of(from)->child_ticks = 0;
}

void stack_move(struct log_thread *thread, struct log_frames *stack, uint32_t node)
{
	struct log_frames *area = stack;
	struct log_frame *frame = frames_of(area);

	frame->node = node;
	while ((uint64_t)frame != stack->top_addr) {
		if ((uint64_t)frame == limit_of(area)) {
			area = area_at(area->head.next);
			frame = frames_of(area);
		} else {
			frame++;
			frame->parent = node;
			node = path_find(thread, node, frame->function_addr);
		}
		frame->node = node;
	}
	stack->current = node;
}

/* The thread's own stack, if it ends at @high: main's, which has grown. */
static struct log_frames *find_grown(const struct log_thread *thread, uintptr_t high)
{
	uint32_t ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);

	for (; ref; ref = area_at(ref)->next_stack) {
		struct log_frames *stack = area_at(ref);

		if (stack->head.owner == thread->head.self && stack->is_own && stack->stack_bytes &&
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

/* Find the stack of an address outside of all known stacks: a signal stack, else the mapping around it. */
static struct log_frames *discover_stack(struct log_thread *thread, uintptr_t stack_addr)
{
	const uintptr_t control_block = (uintptr_t)__builtin_thread_pointer();
	struct log_frames *stack = NULL;
	enum stack_kind kind;
	uintptr_t low, high;

	if (stack_range(stack_addr, &low, &high, &kind) < 0) {
		low = stack_addr & ~(uintptr_t)(LOG_AREA_ALIGN - 1);	/* at least this page */
		high = low + LOG_AREA_ALIGN;
	}
	/* For the thread's first stack, both are one mapping. A later one may lie beside main's by chance. */
	if (!thread->frames && control_block - low < high - low)
		kind = STACK_ALONE;
	if (kind != STACK_OF_SIGNALS) {
		stack = find_grown(thread, high);
		cut_range(stack_addr, &low, &high);
	}
	if (!stack)
		return stack_make(thread, low, high - low, kind, !thread->frames);
	stack->stack_bytes += stack->stack_low_addr - low;
	stack->stack_low_addr = low;
	return stack;
}

/* Put the thread on @to, at the place where that was left. */
static void go_to(struct log_thread *thread, struct log_frames *to)
{
	struct log_frames *area = to;

	while (to->top_addr < (uint64_t)area || to->top_addr > limit_of(area))
		area = area_at(area->head.next);
	to->left_ticks = 0;
	frames_use(thread, area, (struct log_frame *)to->top_addr);
	thread->current = to->current;
}

/* @from may be NULL, if another thread runs it by now. */
static void leave(struct log_thread *thread, struct log_frames *from, struct log_frames *to)
{
	uint64_t now = call_clock(call_timing());

	if (from) {
		from->top_addr = thread->top_addr;
		from->current = thread->current;
		from->left_ticks = now;
	}
	settle_time(from, to, now);
}

/*
 * The thread that ran the stack last may still have it as its current one, if it has made no hook since. Then
 * the calls end there, and that thread's next hook here goes the slow way and finds the owner.
 */
static void take_stack(struct log_thread *thread, struct log_frames *stack)
{
	struct log_thread *other = stack->head.owner ? log_at(live.log, stack->head.owner) : NULL;

	__atomic_store_n(&stack->head.owner, thread->head.self, __ATOMIC_RELEASE);
	if (!other || !other->frames || stack_of(other) != stack)
		return;
	stack->top_addr = other->top_addr;
	stack->current = other->current;
	__atomic_store_n(&other->stack_bytes, 0, __ATOMIC_RELEASE);
}

/*
 * The node under which calls on @to stand when nothing is open there: the path that switches to it. Between
 * two coroutines that is unknown: a scheduler without hooks called both from the same place.
 */
static uint32_t base_of(struct log_thread *thread, struct log_frames *from, const struct log_frames *to)
{
	if (to->is_own || !from)
		return log_ref(live.log, &thread->root);
	return to->is_signal || from->is_own ? thread->current : frames_of(from)->node;
}

/* The other thread that runs on the stack, as far as its hooks have shown, or NULL. */
static const struct log_thread *other_runner(const struct log_thread *thread, const struct log_frames *stack)
{
	const struct log_thread *owner = log_at(live.log, stack->head.owner);

	if (!stack->head.owner || !stack->is_own || owner == thread || !owner->frames)
		return NULL;
	return stack_of(owner) == stack ? owner : NULL;
}

/*
 * A thread's own stack belongs to it alone: if another thread runs there, it is in a coroutine whose stack
 * was carved out of it. Both then have the same range, but each thread has a stack of its own.
 */
static struct log_frames *beside(struct log_thread *thread, const struct log_frames *other,
				 uintptr_t stack_addr)
{
	uint32_t ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);

	for (; ref; ref = area_at(ref)->next_stack)
		if (is_ours(thread, area_at(ref)) && stack_holds(area_at(ref), stack_addr))
			return area_at(ref);
	return stack_make(thread, other->stack_low_addr, other->stack_bytes, STACK_ALONE, !thread->frames);
}

void stack_change(struct log_thread *thread, struct log_frames *to)
{
	struct log_frames *from =
		thread->frames && is_ours(thread, stack_of(thread)) ? stack_of(thread) : NULL;
	bool is_moved = !is_ours(thread, to);

	if (!thread->frames) {
		to->is_own = 1;
			samples_begin(thread);
	}
	if (is_moved)
		take_stack(thread, to);
	leave(thread, from, to);
	if (!is_open(to))
		to->current = frames_of(to)->node = base_of(thread, from, to);
	else if (is_moved)
		stack_move(thread, to, base_of(thread, from, to));
	to->interrupted = to->is_signal && from ? from->head.self : 0;
	go_to(thread, to);
}

static void leave_waits(struct log_thread *thread)
{
	stack_free(stack_of(thread));
	thread->frames = 0;
}

bool stack_switch(struct log_thread *thread, uintptr_t stack_addr)
{
	struct log_frames *to = stack_find(stack_addr);
	const struct log_thread *other;

	if (stack_is_for_waits(thread) && thread->top_addr == (uint64_t)frames_of(stack_of(thread)))
		leave_waits(thread);
	thread->has_stacks = 1;
	if (thread->frames && stack_of(thread)->is_signal)	/* a jump left its handler */
		stack_close_all(thread);
	other = to ? other_runner(thread, to) : NULL;
	if (other && thread_is_gone(other)) {	/* unnoticed: the memory is another stack's by now */
		to->stack_bytes = 0;
		to = NULL;
	} else if (other && !thread->frames) {	/* raw clones with their stacks in one mapping */
		thread->is_clone = 1;
		return stack_init(thread, 0, 0) == 0;
	}
	if (!to)
		to = discover_stack(thread, stack_addr);
	else if (to->is_own && !is_ours(thread, to))
		to = beside(thread, to, stack_addr);
	if (!to)
		return false;
	if (stack_is_current(thread, stack_addr))	/* it has grown */
		frames_use(thread, newest_area(thread), top_frame(thread));
	else
		stack_change(thread, to);
	return true;
}

void stack_after_exit(struct log_thread *thread)
{
	struct log_frames *from = stack_of(thread), *to;

	if (!from->is_signal || !from->interrupted || thread->top_addr != (uint64_t)frames_of(from))
		return;
	to = area_at(from->interrupted);
	leave(thread, from, to);
	go_to(thread, to);
}

/* Its memory belongs to another stack: its calls end now. */
static void end_stack(struct log_thread *thread, struct log_frames *stack)
{
	if (is_open(stack) && stack->head.owner == thread->head.self &&
	    stack_switch(thread, stack->stack_low_addr)) {
		stack_close_all(thread);
		stack_switch(thread, (uintptr_t)__builtin_frame_address(0));
	}
	stack_free(stack);
}

/* A stack that begins below was taken for the whole mapping: the new one is found before it. */
void stack_add(struct log_thread *thread, uintptr_t low, uintptr_t bytes)
{
	uint32_t ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);

	for (; ref; ref = area_at(ref)->next_stack) {
		struct log_frames *stack = area_at(ref);
		bool is_current = thread->frames && stack == stack_of(thread);

		if (!is_current && stack->stack_bytes && stack->stack_low_addr >= low &&
		    stack->stack_low_addr < low + bytes)
			end_stack(thread, stack);
	}
	thread->has_stacks = 1;
	stack_make(thread, low, bytes, STACK_ALONE, false);
}

static uint64_t close_stack(struct log_thread *thread, struct log_frames *stack, bool is_gone)
{
	uint64_t closed = is_gone ? frames_close_gone(thread) : stack_close_all(thread);

	thread->stack_bytes = 0;	/* before a handler's hook uses it */
	signal_fence();
	stack_free(stack);
	return closed;
}

/*
 * The stacks on which it was not when it ended. A coroutine may continue in another thread, the thread's own
 * stack never.
 */
static uint64_t close_others(struct log_thread *thread, bool is_gone)
{
	uint32_t ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);
	uint64_t closed = 0;

	for (; ref; ref = area_at(ref)->next_stack) {
		struct log_frames *stack = area_at(ref);

		if (stack->head.owner != thread->head.self)
			continue;
		if (is_open(stack) && !stack->is_own && !stack->is_signal) {
			thread->is_kept = 1;
			continue;
		}
		go_to(thread, stack);
		closed += close_stack(thread, stack, is_gone);
	}
	return closed;
}

uint64_t stack_end_all(struct log_thread *thread, bool is_gone)
{
	uintptr_t stack_addr = (uintptr_t)__builtin_frame_address(0);
	uint64_t closed = 0;

	if (thread->frames && !is_gone && !stack_is_current(thread, stack_addr))
		stack_switch(thread, stack_addr);	/* from a coroutine's stack, as far as was known */
	if (thread->frames && is_ours(thread, stack_of(thread)))
		closed = close_stack(thread, stack_of(thread), is_gone);
	if (thread->has_stacks)
		closed += close_others(thread, is_gone);
	thread->current = log_ref(live.log, &thread->root);
	thread->has_stacks = thread->is_kept;
	thread->frames = 0;
	thread->stack_bytes = 0;
	thread->limit_addr = 0;
	return closed;
}
