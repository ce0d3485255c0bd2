/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads: the calling thread's record in the log. */
#ifndef INSIDEME_THREAD_H
#define INSIDEME_THREAD_H

#include "preload/state/live.h"

/*
 * The calling thread's record: made when this is its first event. NULL: nothing can be recorded now (not
 * ready, off, no room: callers count what they lose). Callable from hooks, wrappers and signal handlers.
 */
struct log_thread *thread_make(void);

static ALWAYS_INLINE struct log_thread *thread_self(void)
{
	return likely(live.log && self) ? self : thread_make();
}

/* A thread that the program started: where, before its function runs; the stack's range is known here. */
void thread_begin(void *function, uintptr_t stack_low, uintptr_t stack_bytes);

/* Its name changed. */
void thread_name(struct log_thread *thread, const char *name);

/* It ends: what is open is closed as broken. Hooks may still come; the next call moves the end. */
void thread_end(void);

#endif
