/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What jumps and exceptions leave behind. */
#ifndef INSIDEME_WRAP_LONGJMP_H
#define INSIDEME_WRAP_LONGJMP_H

#include "preload/stacks/thread.h"

/*
 * The calls of the thread's stack below @stack_addr, where a hook of the function would have its frame that goes on, are
 * over; @reason as in slices.
 */
void calls_end_below(struct log_thread *thread, uintptr_t stack_addr, uint32_t reason);

#endif
