/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Context switches of a process, read from outside. The kernel shows them for each thread only, and
 * the numbers of a thread are lost when it ends. So each reading looks at one thread, in turn, and
 * adds up what is known. The sum is exact for a process of one thread; with more it is late by a
 * round.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/proc_file.h"

#define SWITCHES_THREADS 128	/* with more threads, the switches are not known */

struct switches_thread {
	int tid;
	bool listed;		/* in the newest listing of the threads */
	uint64_t voluntary;
	uint64_t involuntary;
};

struct switches {
	int pid;
	struct read_count *count;
	int status_fd;			/* status of the process, which is that of its first thread */
	int task_fd;			/* the directory of its threads */
	uint32_t nr_threads;		/* 0: not listed, because there was only one thread */
	uint32_t next;			/* the thread that the next reading looks at */
	uint64_t ended_voluntary;	/* of threads that have ended, as last read */
	uint64_t ended_involuntary;
	struct switches_thread threads[SWITCHES_THREADS];
};

void switches_open(struct switches *switches, int pid, struct read_count *count);
void switches_close(struct switches *switches);

/* @nr_threads: how many there are now. @buffer: for texts of /proc. */
void switches_read(struct switches *switches, uint64_t nr_threads, struct figures *figures, char *buffer,
		   uint64_t bytes);
