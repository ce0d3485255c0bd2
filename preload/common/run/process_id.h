/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The identity of a process, for the names and headers of logs. No libc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/common/run/rank.h"

/*
 * Few processes lie between recorded ancestors: static or setuid ones, or ones without our
 * environment.
 */
#define PROCESS_ANCESTORS_MAX 4
#define PROCESS_PROGRAM_BYTES 64

struct process_id {
	uint32_t pid;
	uint32_t ppid;
	uint64_t start;			/* field 22 of /proc/PID/stat: PROC_TICK_NS after boot */
	char host[64];
	char boot_id[40];
	char program[PROCESS_PROGRAM_BYTES];	/* base name of the executable */
	struct rank rank;
};
/*
 * Read this process, except for its rank, see rank_read(), and its boot, which run_find() fills in.
 * @exe: its executable, as from process_link(); NULL: it is read.
 */
void process_id_read(struct process_id *id, const char *exe);
void process_id_boot(struct process_id *id);
/*
 * The same, but the start stays 0, which run_find() fills in too. The parent's pid is as in this
 * process's namespace, which may not be /proc's.
 */
void process_id_begin(struct process_id *id, const char *exe);

/*
 * Write @name with %e, %h, %p and %r replaced: the program, the host, the pid, and the rank (0 where there is
 * none). Anything else stays.
 */
void process_id_expand(const struct process_id *id, const char *name, char *expanded, size_t bytes);

/* Read the pids and the start alone. */
void process_id_look(struct process_id *id);

/*
 * This process, as a pid for the functions below. In a pid namespace with the /proc of the outer
 * one, our pid belongs to another process there.
 */
#define PROCESS_SELF 0

/* Base name of @pid's executable, cut to PROCESS_PROGRAM_BYTES; "unknown" when it cannot be read. */
void process_program(uint32_t pid, char *program);

/* The target of the link @name of /proc/PID, at most PATH_MAX bytes; "" when it cannot be read. */
void process_link(uint32_t pid, const char *name, char *target);

/* Parent and start time of @pid. Return: 0, -ESRCH when it is gone, or -EINVAL. */
int process_parent(uint32_t pid, uint32_t *ppid, uint64_t *start);
/* Does process @pid run, with @start_low as the low half of its start? A zombie does not run. */
bool process_runs(uint32_t pid, uint32_t start_low);

/* Write "/proc/PID" and @name, which begins with a slash. */
void proc_path(char *path, size_t bytes, uint32_t pid, const char *name);

/*
 * Read the start of a small file, and end it with 0. Return: its length, or -errno with an empty
 * @buffer.
 */
long read_file(const char *path, char *buffer, size_t bytes);
/* The number that a file begins with. UINT64_MAX: it cannot be read, or begins otherwise. */
uint64_t number_in(const char *path);

/* YYYYMMDD-hhmmss in UTC. A local time would need libc, and would not sort across a change of clocks. */
#define DATE_BYTES sizeof("YYYYMMDD-hhmmss")
void format_date(char *date, uint64_t realtime_ns);
