/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who a process is, and when, for the names and headers of logs. No libc. */
#ifndef INSIDEME_PROCESS_ID_H
#define INSIDEME_PROCESS_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/common/run/rank.h"

/* Between recorded ancestors lie few that are not: static, setuid, or without our environment. */
#define PROCESS_ANCESTORS_MAX 4
#define PROCESS_PROGRAM_BYTES 64
#define PROCESS_TICK_NS 10000000u

struct process_id {
	uint32_t pid;
	uint32_t ppid;
	uint64_t start;			/* field 22 of /proc/PID/stat: PROCESS_TICK_NS after boot */
	char host[64];
	char boot_id[40];
	char program[PROCESS_PROGRAM_BYTES];	/* base name of the executable */
	struct rank rank;
};
/*
 * This process; all but its rank, see rank_read(), and its boot, which run_find() knows or asks for. @exe:
 * its executable, as process_link() has it; NULL: to be read.
 */
void process_id_read(struct process_id *id, const char *exe);
void process_id_boot(struct process_id *id);
/*
 * The same but for its start, 0, which run_find() knows or asks for too. The parent is as this process's
 * namespace numbers it, and that may not be /proc's.
 */
void process_id_begin(struct process_id *id, const char *exe);

/* Its numbers and its start alone. */
void process_id_look(struct process_id *id);

/* A pid for what follows: in a pid namespace whose /proc is that of the outer one our number is somebody
 * else's. */
#define PROCESS_SELF 0

/* Base name of the executable of @pid, cut to PROCESS_PROGRAM_BYTES; "unknown" when it cannot be read. */
void process_program(uint32_t pid, char *program);

/* Where the link @name of /proc/PID leads to, PATH_MAX bytes at most; "" when it cannot be read. */
void process_link(uint32_t pid, const char *name, char *target);

/* Parent and start time of @pid. Return: 0, -ESRCH when it is gone, -EINVAL. */
int process_parent(uint32_t pid, uint32_t *ppid, uint64_t *start);
/* Does the process @pid run that has @start_low, the low half of its start? One that ended, but was not waited for, does not. */
bool process_runs(uint32_t pid, uint32_t start_low);

/* "/proc/PID" and @name, which begins with a slash. */
void proc_path(char *path, size_t bytes, uint32_t pid, const char *name);

/* The start of a small file, zero-terminated. Return: its length, or -errno with an empty @buffer. */
long read_file(const char *path, char *buffer, size_t bytes);

/* YYYYMMDD-hhmmss in UTC: a local time would need libc, and would not sort across a change of clocks. */
#define DATE_BYTES sizeof("YYYYMMDD-hhmmss")
void format_date(char *date, uint64_t realtime_ns);

#endif
