/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the resources that one process uses, from /proc/PID and its CPU clock, into figures. It works on any
 * process of the same user. If the reader is a thread of the process, it leaves its own part out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/log/rusage.h"
#include "preload/common/resources/child_io.h"
#include "preload/common/resources/context_switches.h"
#include "preload/common/resources/log_pages.h"
#include "preload/common/resources/process_slow.h"

struct usage {
	int pid;
	bool own_thread;
	uint64_t start_ticks;		/* field 22 of /proc/PID/stat; 0: not known */
	int stat_fd, statm_fd, io_fd, status_fd;
	int own_io_fd;			/* of the reading thread, if it belongs to the process */
	struct read_count count;	/* reads by that thread and the threads before it */
	struct own_use earlier;		/* used by threads that read before this one */
	/* By all reading threads, read when the log reached this far into memory: */
	uint64_t own_written_bytes;
	uint64_t own_written_reach_bytes;
	uint64_t written_bytes;		/* at the last reading, without them */
	uint64_t minor_faults;		/* at the last reading from outside, without the log's pages */
	/*
	 * Every how many rows all numbers are read; the rows between have CPU time and memory
	 * alone. 0: all are full
	 */
	uint32_t full_every;
	uint32_t nr_rows;
	uint32_t nr_readings;		/* of "stat", from outside */
	uint64_t highest_seen_bytes;	/* VmHWM at the last slow reading */
	uint64_t peak_rss_bytes;
	struct log_pages log_pages;
	struct switches switches;
	struct details details;
	struct child_io child_io;
	uint64_t nr_threads;		/* at the last reading; LOG_NONE: not known */
	uint64_t child_faults;		/* minor faults of children that it has waited for */
	char buffer[4096];
};

/*
 * @log: the log that the process has mapped. @start_ticks: field 22 of /proc/PID/stat, 0: not
 *   known. Return: 0, or -errno when /proc/PID cannot be read (-ENOENT: there is no such process),
 *   or -ESRCH when the process there started at another time.
 */
int usage_open(struct usage *usage, int pid, bool own_thread, const struct log_header *log,
	       uint64_t start_ticks);
void usage_close(struct usage *usage);

/*
 * The reading thread ends and another thread goes on. The first calls usage_leave(), which closes; the second
 * calls usage_open_again(). Whatever a reading thread of the process uses after usage_leave() counts for the
 * program: some us at its end.
 */
void usage_leave(struct usage *usage);
int usage_open_again(struct usage *usage, const struct log_header *log);

/*
 * CPU time of the process so far, without the reading thread's. LOG_NONE: the process is gone. Only
 * differences mean anything.
 */
uint64_t usage_cpu_ns(const struct usage *usage);

/*
 * Each function sets what it reads and leaves the rest alone. Return: 0, or -ESRCH when the process
 * has ended; the figures that usage_read() has set then are the zombie's last ones. From outside
 * usage_read() and usage_read_memory() also return -ESTALE: the process has called exec.
 */
/* The set "process" without heap; from outside, switches are read only now and then */
int usage_read(struct usage *usage, struct figures *figures);
int usage_read_memory(struct usage *usage, struct figures *figures);	/* RSS and VMS */
/* Peak RSS, swap, descriptors, network; call it after RSS was read */
int usage_read_slow(struct usage *usage, struct figures *figures);
/*
 * The set "process_maps". PSS and USS are read only where RSS, including our part, is at most
 * @limit_bytes: the kernel walks all page tables for them, and meanwhile holds the lock that the
 * process's mmap(), munmap() and brk() wait for.
 */
void usage_read_maps(struct usage *usage, uint64_t limit_bytes, struct figures *figures);

/*
 * Read the calling process's own figures once, without usage_open(): all but threads and swap.
 * Keeps nothing open.
 */
void usage_read_own(struct usage *usage, const struct log_header *log, struct figures *figures);
