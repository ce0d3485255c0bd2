/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies of threads' stacks in the log, made when their process ends, or when its memory has reached
 * INSIDEME_MAX_MEMORY. The report unwinds them: nothing is unwound in a broken process.
 */
#pragma once

#include <stdbool.h>
#include <ucontext.h>

/*
 * Copy the registers in @context, and the calling thread's stack above its stack pointer. Called by a signal
 * handler on a stack of its own: it allocates nothing, takes no lock, and reads no memory that may be
 * missing. These three make system calls; there is a log, which is the process's own.
 */
void last_words_of_signal(const ucontext_t *context);

/* The same for the caller, which allocates memory: LOG_STACK_MEMORY. */
void last_words_here(void);

/*
 * Under insideme-run: ask for copies of the stacks of all other threads. @waits: until it has made them, for
 * 0.2 s at most.
 */
void last_words_of_others(bool waits);
