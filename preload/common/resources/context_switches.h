/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Context switches of a process, seen from outside. The kernel shows them per thread only, and what threads
 * that have ended did is lost with them. So each reading looks at one thread, one after the other, and adds up
 * what is known: exact for a process of one thread, late by a round with more.
 */
#ifndef INSIDEME_CONTEXT_SWITCHES_H
#define INSIDEME_CONTEXT_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/source.h"

#define SWITCHES_THREADS 128	/* of a process with more, switches are not known */

struct switches_thread {
	int tid;
	bool listed;		/* in the newest listing of the threads */
	uint64_t voluntary;
	uint64_t involuntary;
};

struct switches {
	int pid;
	struct source_count *count;
	int status_fd;			/* of the process, that is of its first thread */
	int task_fd;			/* the directory of its threads */
	uint32_t nr_threads;		/* 0: not listed, there was one thread only */
	uint32_t next;			/* whose turn it is */
	uint64_t ended_voluntary;	/* of threads that have ended, as last seen */
	uint64_t ended_involuntary;
	struct switches_thread threads[SWITCHES_THREADS];
};

void switches_open(struct switches *switches, int pid, struct source_count *count);
void switches_close(struct switches *switches);

/* @nr_threads: how many there are now. @buffer: for texts of /proc. */
void switches_read(struct switches *switches, uint64_t nr_threads, struct figures *figures, char *buffer,
		   uint64_t bytes);

#endif
