/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The use and the limits of our control group (version 1 or 2). A limit is the lowest of the group's and of
 * those of the visible groups above it, as read at the start. Numbers stay LOG_NONE where there is no group
 * or no limit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/proc_file.h"

#define CGROUP_PATH_BYTES 1024

struct cgroup {
	bool is_v2;
	int memory_fd, oom_fd, cpu_fd, throttle_fd;
	uint64_t memory_limit_bytes;
	uint64_t cpu_limit_milli;	/* thousandths of a processor */
	struct read_count *count;
	char path[CGROUP_PATH_BYTES];	/* of a controller's group; used only while opening */
	char buffer[4096];
};

/*
 * The limit on our group's memory alone, LOG_NONE: there is none. In @cgroup's memory; nothing stays open.
 * From one task at a time.
 */
uint64_t cgroup_memory_limit(struct cgroup *cgroup);

/* Return: whether a group shows at least one number. */
bool cgroup_open(struct cgroup *cgroup, struct read_count *count);
void cgroup_close(struct cgroup *cgroup);
/* Set those numbers of the set "cgroup" that can be read. */
void cgroup_read(struct cgroup *cgroup, struct figures *figures);

/*
 * Parsers of /proc/PID/cgroup and of the groups' files: text goes in, numbers come out, LOG_NONE
 * for none. The group's path, up to the end of its line, in "4:memory:/a/b\n..." or, for
 * @controller "", in "0::/a/b". Return: NULL when it is not there.
 */
const char *cgroup_parse_path(const char *text, const char *controller);
uint64_t cgroup_line_length(const char *line);

/* Parse a number. "max", a negative number and version 1's "no limit" are LOG_NONE. */
uint64_t cgroup_parse_limit(const char *text);

/* Parse "50000 100000" or "max 100000" into thousandths of a processor. */
uint64_t cgroup_parse_cpu_max(const char *text);

/* The number after @key at the start of a line. @key ends with its blank. */
uint64_t cgroup_parse_key(const char *text, const char *key);
uint64_t cgroup_us_to_ns(uint64_t us);
