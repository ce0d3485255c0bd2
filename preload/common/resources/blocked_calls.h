/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The system calls of blocked threads, from /proc/PID/task/TID/syscall: for waits that no wrapper of the
 * library sees, such as libgomp's futexes and calls within libc.
 */
#pragma once

#include "preload/common/resources/proc_file.h"

#define BLOCKED_AREAS 8u /* each is of 126 places */
#define BLOCKED_NAMES 128u

/* The state for one process; used by the one thread that samples it. */
struct blocked_log {
	struct log_header *log;
	struct read_count *count;
	uintptr_t own_addr; /* the library's sampling task, for which a thread may wait; 0: outside */
	bool is_on;	    /* false after the kernel refused to say */
	uint32_t nr_areas;
	uint32_t areas[BLOCKED_AREAS]; /* refs */
	uint32_t nr_names;
	uint32_t names[BLOCKED_NAMES]; /* hashes of descriptors' names that are in the log */
};

/* One thread. */
struct blocked_thread {
	uint64_t read_ns;    /* CLOCK_MONOTONIC of the last look, 0: none yet */
	uint64_t used_ns;    /* at that time: its CPU time, and time without a processor */
	uint64_t blocked_ns; /* that is not yet counted for any call */
	uint32_t record;     /* ref of its struct log_thread, 0: not known */
};

/*
 * Read what the thread @tid is in, which has been running or ready for @used_ns so far. If it is blocked now,
 * its system call stands for all its blocked time since it was last found blocked. @log_fd: to grow the log.
 */
void blocked_look(struct blocked_log *of, struct blocked_thread *thread, int task_fd, int tid,
		  uint64_t used_ns, int log_fd, char *buffer, uint64_t bytes);
