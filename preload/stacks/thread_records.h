/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of threads: each has its own until there are many, then a new thread takes over that of one that is gone. */
#ifndef INSIDEME_THREAD_RECORDS_H
#define INSIDEME_THREAD_RECORDS_H

#include <errno.h>

#include "preload/state/live.h"

/*
 * Is its task gone, by the word of the kernel? Its number may be of another task by now, then it looks alive.
 * False after a seccomp filter, and of threads that came after one: their number is not known.
 */
static inline bool thread_is_gone(const struct log_thread *thread)
{
	uint32_t tid = __atomic_load_n(&thread->tid, __ATOMIC_RELAXED);

	return tid && !live_is_sealed() && raw_syscall(SYS_tkill, tid, 0, 0, 0, 0, 0) == -ESRCH;
}

/*
 * A record for the calling thread, of @function_addr (0: not known); NULL without room. Signals must be blocked,
 * since a handler's hook would ask for another one.
 */
struct log_thread *record_for_thread(uint64_t function_addr);

/*
 * The record of the process's first thread, of @name, in @log, which nobody else writes yet; NULL without room.
 */
struct log_thread *record_for_main(struct log_header *log, const char *name);

/*
 * The record of the calling task, @tid, which runs with the TLS block of another one: made when this is its first
 * event, NULL without room. Its calls all have one stack, whatever their addresses.
 */
struct log_thread *record_for_clone(uint32_t tid);

/* The record that thread @tid has now; NULL: none yet, or its number is not known. */
struct log_thread *record_of_tid(uint32_t tid);

/* The thread ends by itself. */
void record_end(struct log_thread *thread);

/* The process ends: threads that ended without a word end in the log too. */
void records_end_gone(void);

#endif
