/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of /proc/PID/{stat,statm,io,status,schedstat,smaps_rollup}: text in, struct out. No process, clock or file is touched. */
#ifndef INSIDEME_RESOURCES_PROCESS_TEXT_H
#define INSIDEME_RESOURCES_PROCESS_TEXT_H

#include <stdint.h>

#define PROC_TICK_NS	10000000u	/* /proc counts CPU time in 1/100 s on every Linux we run on */

struct proc_stat {
	char state;
	uint64_t parent_pid;
	uint64_t minor_faults;
	uint64_t child_faults;		/* minor ones of children it has waited for */
	uint64_t major_faults;
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t threads;
	uint64_t start_ticks;		/* 1/100 s after boot */
};

struct proc_statm {
	uint64_t size_pages;
	uint64_t resident_pages;
	uint64_t mapped_pages;		/* of these, of files and of shared memory */
};

/* Every value LOG_NONE when its line is missing. */
struct proc_io {
	uint64_t read_chars;		/* passed to read() and the like, from any file */
	uint64_t write_chars;
	uint64_t read_calls;
	uint64_t write_calls;
	uint64_t read_bytes;		/* fetched from storage */
	uint64_t write_bytes;		/* dirtied for storage */
};

/* Every value LOG_NONE when its line is missing. The switches are those of the one thread. */
struct proc_status {
	uint64_t peak_rss_bytes;
	uint64_t swap_bytes;
	uint64_t voluntary_switches;
	uint64_t involuntary_switches;
};

/* Of one thread. */
struct proc_schedstat {
	uint64_t cpu_ns;
	uint64_t wait_ns;		/* ready, but not running */
};

/* Every value LOG_NONE when its line is missing. */
struct proc_maps {
	uint64_t pss_bytes;
	uint64_t uss_bytes;
};

/* Return: 0, or -EINVAL when the text ends early or a number does not fit. */
int proc_parse_stat(const char *text, struct proc_stat *stat);
int proc_parse_statm(const char *text, struct proc_statm *statm);
void proc_parse_io(const char *text, struct proc_io *io);
void proc_parse_status(const char *text, struct proc_status *status);
int proc_parse_schedstat(const char *text, struct proc_schedstat *schedstat);
void proc_parse_smaps_rollup(const char *text, struct proc_maps *maps);

#endif
