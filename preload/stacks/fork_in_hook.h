/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fork in a signal handler that interrupted a hook: the child returns into it, with pointers into the log of its
 * parent in its registers. Until that hook has ended the child keeps that log, as private memory that nobody sees;
 * then it goes on in its own.
 */
#ifndef INSIDEME_FORK_IN_HOOK_H
#define INSIDEME_FORK_IN_HOOK_H

#include "preload/stacks/thread.h"

/*
 * Is there a signal frame between here and @limit_addr on the stack whose handler interrupted code of ours? Return:
 * the stack pointer of that code, 0: there is none. Before the fork: notes what the child will need.
 */
uintptr_t interrupted_find(uintptr_t limit_addr);

/* In the child, which has opened its own log: first the hook at @stack_addr may end. */
void interrupted_return(uintptr_t stack_addr);

/*
 * Around a hook at @stack_addr while live_return_addr is set: it may be the handler's, and writes into the child's own
 * log. Return: what interrupted_go_back() takes after it, 0: the hook that was interrupted has ended, all is well.
 */
uintptr_t interrupted_begin(uintptr_t stack_addr);
void interrupted_go_back(uintptr_t return_addr);

/* The process ends: the hook will not. */
void interrupted_end(void);

#endif
