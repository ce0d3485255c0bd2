/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames are the calls that are open on a stack. Here is what hooks do not do themselves: more frames, other
 * stacks (coroutines, signal stacks), calls that never saw their exit.
 */
#pragma once

#include "preload/stacks/frames.h"

/*
 * An entry at @stack_addr does not simply follow the top frame: repair that. Return: whether there is room
 * for its frame; if not, the call has been counted.
 */
bool stack_before_enter(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr,
			uintptr_t return_addr);

/*
 * The same for a library call that waits. In a process without hooks only such calls are open: they have a
 * stack of frames of their own, whatever stack they come on, and a wait within another has no frame.
 */
bool stack_before_wait(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr,
		       uintptr_t return_addr);

/*
 * An exit from @function_addr does not match the top frame, is on another stack, or leaves a full area: make
 * it match and end its call. An exit of a function that is not open is counted.
 */
void stack_exit(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr);

/* Are as many calls open on the stack as INSIDEME_DEPTH allows? */
bool stack_is_deep(const struct log_thread *thread);

/*
 * A call ends on a stack whose hooks all come here: after a signal handler's last call, return to the
 * interrupted stack.
 */
void stack_after_exit(struct log_thread *thread);

/* Does the thread run on the stack that holds @stack_addr, as far as is known? */
bool stack_is_current(struct log_thread *thread, uintptr_t stack_addr);

/* Leave the current stack for @to. */
void stack_change(struct log_thread *thread, struct log_frames *to);

/*
 * A coroutine continues under @node, mostly in another thread's tree: its open calls get their nodes there.
 */
void stack_move(struct log_thread *thread, struct log_frames *stack, uint32_t node);

/* Leave the current stack for the one that @stack_addr lies in. False: there is no room for its frames. */
bool stack_switch(struct log_thread *thread, uintptr_t stack_addr);

/* A new stack, on which no call is open; calls that were open in its memory are over. */
void stack_add(struct log_thread *thread, uintptr_t low, uintptr_t bytes);

/* A context that will run on this memory was made (makecontext). */
void stack_expect(struct log_thread *thread, uintptr_t low, uintptr_t bytes);

/* Close as broken the calls whose stack is below @stack_addr on the current stack (longjmp, catch). */
void stack_unwind_to(struct log_thread *thread, uintptr_t stack_addr);

/* Give the thread its own stack's frames. Return: 0, or -ENOBUFS. */
int stack_init(struct log_thread *thread, uintptr_t low, uintptr_t bytes);

/*
 * Recording went on: end the gap on top if no call is open in it, see recording_state.h. Callable from signal
 * handlers.
 */
void stack_end_gap(struct log_thread *thread);

/*
 * The thread ends: the calls that are open on its stacks end as broken, except those of coroutines, which
 * wait for another thread (is_kept). @is_gone: it ended some time ago, so the calls' durations are not known.
 * Return: how many ended.
 */
uint64_t stack_end_all(struct log_thread *thread, bool is_gone);

/*
 * Fork: copy the forking thread's open calls to private memory; and open them again in the child's log.
 * @outer: the copy of a fork in progress in this thread, if a handler forks too; else NULL.
 */
struct open_calls;
struct open_calls *stack_copy_open(const struct log_thread *thread, struct open_calls *outer);
struct open_calls *stack_outer(const struct open_calls *calls);
void stack_open_again(struct log_thread *thread, const struct open_calls *calls, uint64_t since_ticks);
/* The fork was made in a handler that interrupted a hook. */
bool stack_is_in_hook(const struct open_calls *calls);
/* Refs in the log of the parent: the thread that forked, and the path that was open. */
void stack_origin(const struct open_calls *calls, uint32_t *thread, uint32_t *node);
void open_calls_free(struct open_calls *calls);
