/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a thread that ends its process leaves of its stack: a copy in the log, which the report unwinds.
 * Nothing is unwound in a broken process.
 */
#ifndef INSIDEME_LAST_WORDS_H
#define INSIDEME_LAST_WORDS_H

#include <ucontext.h>

#include "preload/common/log/log.h"

/*
 * Copy the registers in @context, and what the calling thread's stack has above its stack pointer. Called by
 * a signal handler on a stack of its own: it allocates nothing, takes no lock, and reads no memory that may
 * be missing. Makes system calls.
 */
void last_words_copy(const ucontext_t *context, enum log_stack_reason reason);

/* Under insideme-run: wait until it has copied the stacks of all other threads, for 0.2 s at most. */
void last_words_of_others(void);

#endif
