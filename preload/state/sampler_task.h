/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sampler's home inside the program: a raw clone, never a pthread. */
#pragma once

#include <stdbool.h>

#include "insideme_log.h"
#include "preload/common/base/compiler.h"
#include "preload/common/run/run.h"

/*
 * Start the sampling task for the log of this process, unless insideme-run samples the run from outside. If
 * it cannot be started, that is no error: the log's header says that nothing was sampled. @run: kept.
 */
void sampler_task_start(struct log_header *log, const char *path, struct run *run);

/*
 * The same for a program that has no log yet: the task opens it some ms later by live_open_child(), which
 * calls sampler_task_have_log(). Return: is there a task?
 */
bool sampler_task_start_early(struct run *run);
void sampler_task_have_log(struct log_header *log, const char *path);

/* False under valgrind, which knows only libc's tasks. The constructor calls it first. */
bool sampler_task_is_possible(void);

/* The task takes its last rows and ends. Waits for that for some ms at most. */
void sampler_task_stop(void);

/* The calling thread ends by a system call. If it is the first of the process, the task ends for good. */
void sampler_task_before_exit(void);

/* The task was stopped, but the process goes on. */
void sampler_task_go_on(void);

/*
 * End the task before a call that it would disturb, and start it again after that call. Pauses may nest, in
 * several threads. The task is gone from the process when sampler_task_pause() returns. Without a task,
 * nothing happens.
 */
void sampler_task_pause(void);
void sampler_task_resume(void);

/*
 * After a fork, start the task some ms later, at the next event off the hot path that calls
 * sampler_task_poll(): a program that checks whether it had threads when it forked does so right after the
 * fork.
 */
void sampler_task_resume_later(void);
void sampler_task_resume_due(void);

extern HIDDEN uint64_t sampler_task_due_ticks; /* when it starts again; 0: it is not waiting; atomic */

/* insideme-run takes the samples: at that time the task only looks whether it still does. Atomic */
extern HIDDEN uint32_t sampler_task_is_watched;

static ALWAYS_INLINE void sampler_task_poll(uint64_t now)
{
	uint64_t due = __atomic_load_n(&sampler_task_due_ticks, __ATOMIC_RELAXED);

	if (unlikely(due && now >= due))
		sampler_task_resume_due();
}
