/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sampler's home inside the program: a raw clone, never a pthread. */
#ifndef INSIDEME_SAMPLER_TASK_H
#define INSIDEME_SAMPLER_TASK_H

#include <stdbool.h>

#include "insideme_log.h"
#include "preload/common/base/compiler.h"
#include "preload/common/run/run.h"

/*
 * Start the sampling task for the log of this process, unless insideme-run samples the run from outside.
 * A task that cannot be started is no error: the log's header says that nothing was sampled. @run: kept.
 */
void sampler_task_start(struct log_header *log, const char *path, struct run *run);

/*
 * The same for a program that has no log yet: the task opens it some ms later by live_open_child(), which calls
 * sampler_task_have_log(). Return: whether there is a task.
 */
bool sampler_task_start_early(struct run *run);
void sampler_task_have_log(struct log_header *log, const char *path);

/* Looked up in the constructor: valgrind knows no task but libc's. */
bool sampler_task_is_possible(void);

/* Let it take its last rows and end, and wait for it, at most some ms. */
void sampler_task_stop(void);

/* The calling thread ends by a system call: where it is the first of the process, the task ends for good. */
void sampler_task_before_exit(void);

/* It was stopped, but the process goes on. */
void sampler_task_go_on(void);

/*
 * Let it end before what it would disturb, and come back. May nest, in several threads; the task is gone from
 * the process when sampler_task_pause() returns. Nothing where there is none.
 */
void sampler_task_pause(void);
void sampler_task_resume(void);

/*
 * After a fork: programs that look whether they had threads when they forked look just after it. So it comes
 * back some ms later, at the next event that is no hot path's and asks by sampler_task_poll().
 */
void sampler_task_resume_later(void);
void sampler_task_resume_due(void);

extern HIDDEN uint64_t sampler_task_due_ticks; /* when, 0: it does not wait; atomic */

static ALWAYS_INLINE void sampler_task_poll(uint64_t now)
{
	uint64_t due = __atomic_load_n(&sampler_task_due_ticks, __ATOMIC_RELAXED);

	if (unlikely(due && now >= due))
		sampler_task_resume_due();
}

#endif
