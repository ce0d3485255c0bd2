/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All stacks of the process: made, found by their range, free for others. */
#include "preload/stacks/frames.h"

/* For thousands of coroutines: most stacks are found by their page, which may be in one of two places. */
struct log_frames *stack_find(uintptr_t stack_addr)
{
	const uintptr_t place = stack_addr / LOG_AREA_ALIGN % LIVE_STACKS;
	uint32_t *first = &live.stacks[place], *second = &live.stacks[place ^ 1];
	uint32_t recent = __atomic_load_n(first, __ATOMIC_ACQUIRE), ref = recent;

	if (ref && stack_holds(area_at(ref), stack_addr))
		return area_at(ref);
	ref = __atomic_load_n(second, __ATOMIC_ACQUIRE);
	if (ref && stack_holds(area_at(ref), stack_addr))
		return area_at(ref);
	ref = __atomic_load_n(&live.log->stacks, __ATOMIC_ACQUIRE);
	while (ref && !stack_holds(area_at(ref), stack_addr))
		ref = area_at(ref)->next_stack;
	if (!ref)
		return NULL;
	__atomic_store_n(second, recent, __ATOMIC_RELEASE);
	__atomic_store_n(first, ref, __ATOMIC_RELEASE);
	return area_at(ref);
}

/* The word counts its changes, so that it never looks unchanged to a slow task. */
static uint64_t next_free_word(uint64_t word, uint32_t ref)
{
	return ((word >> 32) + 1) << 32 | ref;
}

static struct log_frames *take_free(struct log_thread *thread)
{
	uint64_t word = __atomic_load_n(&live.log->free_stacks, __ATOMIC_ACQUIRE);
	struct log_frames *stack;

	do {
		if (!(uint32_t)word)
			return NULL;
		stack = area_at((uint32_t)word);
	} while (!__atomic_compare_exchange_n(
		&live.log->free_stacks, &word,
		next_free_word(word, __atomic_load_n(&stack->next_free, __ATOMIC_RELAXED)), false,
		__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	stack->head.owner = thread->head.self;
	return stack;
}

void stack_free(struct log_frames *stack)
{
	uint64_t word = __atomic_load_n(&live.log->free_stacks, __ATOMIC_RELAXED);

	__atomic_store_n(&stack->stack_bytes, 0, __ATOMIC_RELAXED);
	stack->head.owner = 0;
	do {
		__atomic_store_n(&stack->next_free, (uint32_t)word, __ATOMIC_RELAXED);
	} while (!__atomic_compare_exchange_n(&live.log->free_stacks, &word,
					      next_free_word(word, stack->head.self), false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

struct log_frames *stack_make(struct log_thread *thread, uintptr_t low, uintptr_t bytes, enum stack_kind kind,
			      bool is_own)
{
	struct log_frames *stack = take_free(thread);
	bool fresh = !stack;
	uint32_t newest;

	if (fresh)
		stack = frames_new(thread);
	if (!stack)
		return NULL;
	frames_set_sentinel(stack, thread->current);
	stack->stack = stack->head.self;
	/* while it has no bytes, see stack_holds() */
	__atomic_store_n(&stack->stack_low_addr, low, __ATOMIC_RELEASE);
	stack->is_signal = kind == STACK_OF_SIGNALS;
	stack->is_mapping = kind == STACK_OR_SEVERAL;
	stack->is_own = is_own;
	stack->left_ticks = 0;
	stack->top_addr = (uint64_t)frames_of(stack);
	stack->current = thread->current;
	__atomic_store_n(&stack->stack_bytes, bytes, __ATOMIC_RELEASE);
	newest = __atomic_load_n(&live.log->stacks, __ATOMIC_RELAXED);
	while (fresh) {
		stack->next_stack = newest;
		fresh = !__atomic_compare_exchange_n(&live.log->stacks, &newest, stack->head.self, false,
						     __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
	return stack;
}
