/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks that share a mapping: those of coroutines that a program carves out of one block and switches by its
 * own instructions. It is not known where one ends. They are distinguished by the places of their calls: a
 * call that would break open calls far away belongs to another stack, and so does one that is very far below.
 */
#pragma once

#include "preload/stacks/thread.h"

/*
 * A call begins or ends at @stack_addr on the current stack. Switch to the call's own stack, if that is
 * another one.
 */
void coroutine_stacks_before_enter(struct log_thread *thread, uintptr_t stack_addr);
void coroutine_stacks_before_exit(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr);

/* Hooks near @stack_addr need not call this: no other stack is that near. */
void coroutine_stacks_come_near(struct log_thread *thread, uintptr_t stack_addr);
