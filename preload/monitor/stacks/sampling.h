/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process of its own takes the stacks of each process: the data that it reads may be damaged or hostile, a
 * thread may take long to stop, and none of that may hold up insideme-run. When it ends, in whatever way, the
 * kernel resumes the thread that it had stopped.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "insideme_log.h"

struct stack_sampling {
	pid_t pid;		/* of the process to be looked at */
	struct log_header *log; /* its log, mapped shared */
	int log_fd;
	const char *directory; /* the run's, for copies of files that are gone */
	uint64_t rate;	       /* a second; 0: once, then it ends */
};

/*
 * Start it. If something prevents stacks, that is printed on stderr, and written to the log as the reason why
 * there are no samples.
 * Return: its pid, or -errno.
 */
pid_t stack_sampling_start(const struct stack_sampling *sampling);

void stack_sampling_stop(pid_t pid);

/* Wait for the end of a process that runs once. Return: whether it has taken stacks. */
bool stack_sampling_wait(pid_t pid);
