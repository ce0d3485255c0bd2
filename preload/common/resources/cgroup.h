/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the control group that we are in uses and may use, version 1 or 2. Limits are the lowest of the group and of
 * those above it as far as they can be seen, as they were at the start. Where there is no group or no limit, the
 * numbers stay LOG_NONE.
 */
#ifndef INSIDEME_RESOURCES_CGROUP_H
#define INSIDEME_RESOURCES_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/source.h"

#define CGROUP_PATH_BYTES 1024

struct cgroup {
	bool is_v2;
	int memory_fd, oom_fd, cpu_fd, throttle_fd;
	uint64_t memory_limit_bytes;
	uint64_t cpu_limit_milli;	/* thousandths of a processor */
	struct source_count *count;
	char path[CGROUP_PATH_BYTES];	/* of a controller's group, while opening */
	char buffer[4096];
};

/* Return: whether there is a group that tells something. */
bool cgroup_open(struct cgroup *cgroup, struct source_count *count);
void cgroup_close(struct cgroup *cgroup);
/* Sets the numbers of the set "cgroup" that can be read. */
void cgroup_read(struct cgroup *cgroup, struct figures *figures);

#endif
