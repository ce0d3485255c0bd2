/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The areas that hold a stack's frames: shared by the files that switch stacks and those that repair them. */
#pragma once

#include "preload/calls/call_slow.h"
#include "preload/calls/calls.h"
#include "preload/stacks/thread.h"

static inline struct log_frame *frames_of(struct log_frames *area)
{
	return (struct log_frame *)(area + 1);
}

static inline struct log_frames *area_at(uint32_t ref)
{
	return log_at(live.log, ref);
}

/* The area of the thread's top frame, and the stack that it belongs to. */
static inline struct log_frames *newest_area(const struct log_thread *thread)
{
	return area_at(thread->frames);
}

static inline struct log_frames *stack_of(const struct log_thread *thread)
{
	return area_at(newest_area(thread)->stack);
}

static inline uint64_t limit_of(struct log_frames *area)
{
	return (uint64_t)area + area->head.bytes - sizeof(struct log_frame);
}

/* The sentinel is never dead and matches no exit. It has the thread's node while nothing is open above it. */
void frames_set_sentinel(struct log_frames *area, uint32_t node);

/* The first area of a stack, or NULL without room. */
struct log_frames *frames_new(const struct log_thread *thread);

/* The top call ends. It is broken if it has no exit, or if an exception thrown in it is on its way. */
void frames_end_top(struct log_thread *thread, bool has_exit);

/* As stack_close_all(), for a thread that ended at an unknown time: the calls are only counted. */
uint64_t frames_close_gone(struct log_thread *thread);

/* Set the thread's copies for the hot path to @area and its stack's range; @top is the top frame in it. */
void frames_use(struct log_thread *thread, struct log_frames *area, struct log_frame *top);

/* Let hooks go the fast way again, if the thread's state has no other reason against it. */
void frames_look_again(struct log_thread *thread);

/* If the top is the sentinel of an area above another, go down, and pass on the time. False: it is not. */
bool frames_go_down(struct log_thread *thread);

/*
 * A stack with memory of its own, one of a handler, or a mapping that may have several stacks
 * (coroutine_stacks.h).
 */
enum stack_kind { STACK_ALONE, STACK_OF_SIGNALS, STACK_OR_SEVERAL };

/*
 * A new stack of the thread, on which nothing is open, or NULL without room. @is_own: the stack on which the
 * thread began, which no other thread takes. Others find the new stack before this returns.
 */
struct log_frames *stack_make(struct log_thread *thread, uintptr_t low, uintptr_t bytes, enum stack_kind kind,
			      bool is_own);

/* No thread runs on it any more: its frames are free for another stack. */
void stack_free(struct log_frames *stack);

/* Its owner may meanwhile free it and use it for another stack; while its range changes it has no bytes. */
static inline bool stack_holds(const struct log_frames *stack, uintptr_t stack_addr)
{
	uint64_t bytes = __atomic_load_n(&stack->stack_bytes, __ATOMIC_ACQUIRE);
	uint64_t low = __atomic_load_n(&stack->stack_low_addr, __ATOMIC_ACQUIRE);

	return stack_addr - low < bytes && __atomic_load_n(&stack->stack_bytes, __ATOMIC_RELAXED) == bytes;
}

/*
 * The memory [@low, @high) of the stack around @addr: the signal stack, else the mapping. Return: 0, or
 * -ENOENT. Reads /proc/self/maps.
 */
int stack_range(uintptr_t addr, uintptr_t *low, uintptr_t *high, enum stack_kind *kind);

/* Is the thread on the stack for waits of a process without hooks? The first hook replaces it. */
static inline bool stack_is_for_waits(const struct log_thread *thread)
{
	const struct log_frames *stack = thread->frames && !thread->is_clone ? stack_of(thread) : NULL;

	return stack && stack->is_own && !stack->stack_low_addr && !stack->stack_bytes;
}

/* The stack whose range holds @stack_addr, of any thread, or NULL. */
struct log_frames *stack_find(uintptr_t stack_addr);

/* Close as broken all calls that are open on the thread's current stack; returns how many. */
uint64_t stack_close_all(struct log_thread *thread);

/* Make room for one more frame on the current stack, if there is none. */
bool stack_has_room(struct log_thread *thread);
