/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one process uses: reads /proc/PID and its CPU clock into figures. Works on any process of the same
 * user, and on its own when the reader is a thread of it, whose part it then leaves out.
 */
#ifndef INSIDEME_RESOURCES_USAGE_H
#define INSIDEME_RESOURCES_USAGE_H

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
	uint64_t start_ticks;		/* field 22 of /proc/PID/stat, 0: not known */
	int stat_fd, statm_fd, io_fd, status_fd;
	int own_io_fd;			/* of the reading thread, if it belongs to the process */
	struct source_count count;	/* reads done by that thread and those before it */
	struct own_use earlier;		/* of threads that read before this one */
	uint64_t own_written_bytes;	/* by those and this one, as of when the log reached so far into memory: */
	uint64_t own_written_reach_bytes;
	uint32_t full_every;		/* rows: CPU time and memory alone are in those between; 0: all are full */
	uint32_t nr_rows;
	uint32_t nr_readings;		/* of "stat", from outside */
	uint64_t highest_seen_bytes;	/* VmHWM at the last slow reading */
	uint64_t peak_rss_bytes;
	struct log_pages log_pages;
	struct switches switches;
	struct details details;
	struct waited_io waited_io;
	uint64_t nr_threads;		/* at the last reading; LOG_NONE: not known */
	uint64_t child_faults;		/* minor ones, of children it has waited for */
	char buffer[4096];
};

/*
 * @log: the one that it has mapped. @start_ticks: field 22 of /proc/PID/stat, 0: not known. Return: 0, or -errno when
 * /proc/PID cannot be read (-ENOENT: there is no such process), or is of a process of another start (-ESRCH).
 */
int usage_open(struct usage *usage, int pid, bool own_thread, const struct log_header *log, uint64_t start_ticks);
void usage_close(struct usage *usage);

/*
 * The reading thread ends and another goes on: usage_leave() closes in the one, usage_open_again() opens in the
 * other. What a thread of the process uses after usage_leave() counts as the program's: some us of its end.
 */
void usage_leave(struct usage *usage);
int usage_open_again(struct usage *usage, const struct log_header *log);

/* CPU time of the process so far, without the reading thread's; LOG_NONE: it is gone. Only differences mean anything. */
uint64_t usage_cpu_ns(const struct usage *usage);

/*
 * Each sets what it reads and leaves the rest alone. Return: 0, or -ESRCH when the process has ended; what
 * usage_read() has set then is the zombie's last word. Of usage_read() from outside also -ESTALE: it has exec'ed.
 */
int usage_read(struct usage *usage, struct figures *figures);		/* the set "process" without heap; from outside
									   switches only now and then */
int usage_read_memory(struct usage *usage, struct figures *figures);	/* RSS and VMS */
int usage_read_slow(struct usage *usage, struct figures *figures);	/* peak RSS, swap, descriptors, network; after RSS */
/*
 * The set "process_maps". PSS and USS only where RSS, with what of it is ours, is at most @limit_bytes: the kernel walks
 * all page tables for them, and holds the lock that the process's mmap(), munmap() and brk() wait for.
 */
void usage_read_maps(struct usage *usage, uint64_t limit_bytes, struct figures *figures);

/* Once and without usage_open(): the calling process's own figures but for threads and swap. Keeps nothing open. */
void usage_read_own(struct usage *usage, const struct log_header *log, struct figures *figures);

#endif
