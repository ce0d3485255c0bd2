/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that wrappers share, or that the constructor calls before any thread. */
#pragma once

#include "preload/stacks/thread.h"

/* fork(): the calls that were open at the fork are open in the child's log. */
void fork_init(void);

/* Threads that the program starts, names and ends. Others are seen at their first hook or allocation. */
void threads_init(void);

/*
 * exit(): the log gets the end and the exit status. A process that ends in any other way has no end in its
 * log.
 */
void ends_init(void);

/* C++ exceptions, from throw to catch. After real_init(). */
void exceptions_init(void);

/*
 * The object that the innermost handler of the calling thread has caught, as the C++ library of the code at
 * @caller knows it, or NULL. *@type: its mangled name; *@message: its what(), NULL: not known.
 */
void *exception_caught(uintptr_t caller, const char **type, const char **message);

/*
 * A jump or an exception ends the calls on the thread's stack below @stack_addr, where a hook of the function
 * that continues would have its frame. @reason as in slices.
 */
void calls_end_below(struct log_thread *thread, uintptr_t stack_addr, uint32_t reason);
