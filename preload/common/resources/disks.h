/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Free space of the file systems on which a process has files open for writing. Only /proc is read, never
 * the files. Only file systems of this machine are asked: those of a server, and those that a program
 * provides (FUSE), may answer late or never.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/log.h"
#include "preload/common/resources/proc_file.h"

#define DISKS_MAX 16u		/* mounts that are known at a time; files on others are left out */

/* A line of /proc/PID/mountinfo. */
struct mount {
	uint64_t id;
	uint64_t device;	/* major << 32 | minor */
	bool is_local;
};

/* Parse the line at @text, which ends with a newline or 0. Return: 0, or -EINVAL. */
int disks_parse_mount(const char *text, struct mount *mount);

/*
 * Parse /proc/PID/fdinfo/N. Return: the number of the mount on which the file lies, if it is open for
 * writing; 0: it is not, or the kernel is older than 3.15.
 */
uint64_t disks_parse_fdinfo(const char *text);

struct disks {
	const char *root;	/* of /proc; "" except in tests */
	int pid;
	struct read_count *count;
	struct log_header *log;
	uint64_t due_ns;	/* CLOCK_MONOTONIC: not before */
	unsigned nr_known;
	struct known_mount {
		uint64_t id;
		struct log_disk *record;	/* NULL: not of this machine, or the log had no room */
	} known[DISKS_MAX];
	_Alignas(8) char buffer[4096];
};

/* @root, @count and @log must stay valid. */
void disks_init(struct disks *disks, const char *root, int pid, struct read_count *count,
		struct log_header *log);
/*
 * Look at the descriptors, unless the last look is so recent that looks would take more than a thousandth of
 * a processor. Writes a record for each file system when it is first seen, and lowers its least free space.
 */
void disks_read(struct disks *disks);
