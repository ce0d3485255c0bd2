/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sampler's home inside the program: a raw clone, never a pthread. */
#ifndef INSIDEME_HELPER_H
#define INSIDEME_HELPER_H

#include <stdbool.h>

#include "insideme_log.h"
#include "preload/common/base/compiler.h"
#include "preload/common/run/rundir.h"

/*
 * Start the sampling task for the log of this process, unless insideme-run samples the run from outside.
 * A task that cannot be started is no error: the log's header says that nothing was sampled. @run: kept.
 */
void helper_start(struct log_header *log, const char *path, struct run *run);

/*
 * The same for a program that has no log yet: the task opens it some ms later by live_open_child(), which calls
 * helper_have_log(). Return: whether there is a task.
 */
bool helper_start_early(struct run *run);
void helper_have_log(struct log_header *log, const char *path);

/* Looked up in the constructor: valgrind knows no task but libc's. */
bool helper_is_possible(void);

/* Let it take its last rows and end, and wait for it, at most some ms. */
void helper_stop(void);

/* The calling thread ends by a system call: where it is the first of the process, the task ends for good. */
void helper_before_exit(void);

/* It was stopped, but the process goes on. */
void helper_go_on(void);

/*
 * Let it end before what it would disturb, and come back. May nest, in several threads; the task is gone from
 * the process when helper_pause() returns. Nothing where there is none.
 */
void helper_pause(void);
void helper_resume(void);

/*
 * After a fork: programs that look whether they had threads when they forked look just after it. So it comes
 * back some ms later, at the next event that is no hot path's and asks by helper_poll().
 */
void helper_resume_later(void);
void helper_resume_due(void);

extern HIDDEN uint64_t helper_due_ticks;	/* when, 0: it does not wait; atomic */

static ALWAYS_INLINE void helper_poll(uint64_t now)
{
	uint64_t due = __atomic_load_n(&helper_due_ticks, __ATOMIC_RELAXED);

	if (unlikely(due && now >= due))
		helper_resume_due();
}

#endif
