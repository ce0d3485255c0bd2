/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads, and their records in the log. */
#pragma once

#include <errno.h>

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

/* The program has started this thread, whose @function runs next. Its stack is the range at @stack_low. */
void thread_begin(void *function, uintptr_t stack_low, uintptr_t stack_bytes);

/* Its name changed. */
void thread_name(struct log_thread *thread, const char *name);

/* The thread ends: its open calls end as broken. Hooks may still come; the next call moves the end. */
void thread_end(void);

/*
 * ---- records: each thread has its own until there are many; then a new thread takes over that of a gone one
 * ----
 */

/*
 * Does the kernel say that the thread's task is gone? If another task has its number by now, it looks alive.
 * False after a seccomp filter, and for threads that began after one: their number is not known.
 */
static inline bool thread_is_gone(const struct log_thread *thread)
{
	uint32_t tid = __atomic_load_n(&thread->tid, __ATOMIC_RELAXED);

	return tid && !live_is_sealed() && raw_syscall(SYS_tkill, tid, 0, 0, 0, 0, 0) == -ESRCH;
}

/*
 * Make the record of the process's first thread, named @name, in @log, which no other task writes yet; NULL
 * without room.
 */
struct log_thread *record_for_main(struct log_header *log, const char *name);

/*
 * The record of the calling task, @tid, which runs with the TLS block of another one: made when this is its
 * first event, NULL without room. Its calls all have one stack, whatever their addresses.
 */
struct log_thread *record_for_clone(uint32_t tid);

/* The record that thread @tid has now; NULL: none yet, or its number is not known. */
struct log_thread *record_of_tid(uint32_t tid);

/* The process ends: threads whose end was not noticed end in the log too. */
void records_end_gone(void);
