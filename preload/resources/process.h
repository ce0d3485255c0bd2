/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one process uses: reads /proc/PID and its CPU clock into figures. Works on any process of the same
 * user, and on its own when the reader is a thread of it, whose part it then leaves out.
 */
#ifndef INSIDEME_RESOURCES_PROCESS_H
#define INSIDEME_RESOURCES_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "resources/columns.h"
#include "resources/log_pages.h"
#include "resources/switches.h"

struct process {
	int pid;
	bool own_thread;
	int stat_fd, statm_fd, io_fd, status_fd;
	int own_io_fd;			/* of the reading thread, if it belongs to the process */
	struct source_count count;	/* reads done by that thread */
	uint64_t highest_seen_bytes;	/* VmHWM at the last slow reading */
	uint64_t peak_rss_bytes;
	struct log_pages log_pages;
	struct switches switches;
	char buffer[4096];
};

/*
 * Return: 0, or -errno when /proc/PID cannot be read (-ENOENT: there is no such process), or is not of the
 * process that began @log (-ESRCH).
 */
int process_open(struct process *process, int pid, bool own_thread, const struct log_header *log);
void process_close(struct process *process);

bool process_is_alive(struct process *process);

/*
 * Each sets what it reads and leaves the rest alone. Return: 0, or -ESRCH when the process has ended; what
 * process_read() has set then is the zombie's last word.
 */
int process_read(struct process *process, struct figures *figures);		/* the set "process" without heap */
int process_read_memory(struct process *process, struct figures *figures);	/* RSS and VMS */
int process_read_slow(struct process *process, struct figures *figures);	/* peak RSS, swap; after RSS */

#endif
