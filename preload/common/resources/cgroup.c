/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control groups. */
#include "preload/common/resources/cgroup.h"

#include "preload/common/resources/cgroup_text.h"

#define MOUNTS "/sys/fs/cgroup"	/* where every distribution and container has them */

static bool exists(const char *path)
{
	return raw_syscall(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0) == 0;
}

/* Append to the path. Return: its length before, to cut it there again. */
static uint64_t add(struct cgroup *cgroup, const char *more, uint64_t bytes)
{
	uint64_t length = text_length(cgroup->path), room = sizeof(cgroup->path) - 1 - length;

	if (bytes > room)
		bytes = room;
	for (uint64_t i = 0; i < bytes; i++)
		cgroup->path[length + i] = more[i];
	cgroup->path[length + bytes] = '\0';
	return length;
}

static int open_file(struct cgroup *cgroup, const char *name)
{
	uint64_t length = add(cgroup, name, text_length(name));
	int fd = (int)sys_open(cgroup->path, O_RDONLY | O_CLOEXEC, 0);

	cgroup->path[length] = '\0';
	return fd;
}

static long read_text(struct cgroup *cgroup, int fd)
{
	return source_read(fd, cgroup->count, cgroup->buffer, sizeof(cgroup->buffer), 0);
}

static long read_file(struct cgroup *cgroup, const char *name)
{
	int fd = open_file(cgroup, name);
	long length = read_text(cgroup, fd);

	source_close(&fd);
	return length;
}

/*
 * Path of our group under @mount. In a container that has no namespace of groups the path is the host's, and what is
 * mounted is the group itself. Return: the length of the mount's part.
 */
static uint64_t find_group(struct cgroup *cgroup, const char *mount, const char *controller)
{
	int fd = source_open(0, "self/cgroup");
	long length = read_text(cgroup, fd);
	const char *group = length > 0 ? cgroup_parse_path(cgroup->buffer, controller) : NULL;
	uint64_t base;

	source_close(&fd);
	text_copy(cgroup->path, sizeof(cgroup->path), mount);
	base = text_length(cgroup->path);
	if (!group || group[0] != '/' || group[1] == '\n' || group[1] == '\0')
		return base;
	add(cgroup, group, cgroup_line_length(group));
	if (!exists(cgroup->path))
		cgroup->path[base] = '\0';
	return base;
}

/* To the group above. Return: false at the mount. */
static bool go_up(struct cgroup *cgroup, uint64_t base)
{
	uint64_t length = text_length(cgroup->path);

	if (length <= base)
		return false;
	while (length > base && cgroup->path[length - 1] != '/')
		length--;
	cgroup->path[length > base ? length - 1 : base] = '\0';
	return true;
}

static void lower(uint64_t *limit, uint64_t other)
{
	if (other < *limit)	/* LOG_NONE is above all */
		*limit = other;
}

static void open_memory(struct cgroup *cgroup, uint64_t base)
{
	const char *limit = cgroup->is_v2 ? "/memory.max" : "/memory.limit_in_bytes";

	cgroup->memory_fd = open_file(cgroup, cgroup->is_v2 ? "/memory.current" : "/memory.usage_in_bytes");
	cgroup->oom_fd = open_file(cgroup, cgroup->is_v2 ? "/memory.events" : "/memory.oom_control");
	do {
		if (read_file(cgroup, limit) > 0)
			lower(&cgroup->memory_limit_bytes, cgroup_parse_limit(cgroup->buffer));
	} while (go_up(cgroup, base));
}

static uint64_t cpu_limit(struct cgroup *cgroup)
{
	uint64_t quota;

	if (cgroup->is_v2)
		return read_file(cgroup, "/cpu.max") > 0 ? cgroup_parse_cpu_max(cgroup->buffer) : LOG_NONE;
	if (read_file(cgroup, "/cpu.cfs_quota_us") <= 0)
		return LOG_NONE;
	quota = cgroup_parse_limit(cgroup->buffer);
	if (quota == LOG_NONE || read_file(cgroup, "/cpu.cfs_period_us") <= 0)
		return LOG_NONE;
	return cgroup_cpu_milli(quota, cgroup_parse_limit(cgroup->buffer));
}

static void open_cpu(struct cgroup *cgroup, uint64_t base)
{
	cgroup->throttle_fd = open_file(cgroup, "/cpu.stat");
	do
		lower(&cgroup->cpu_limit_milli, cpu_limit(cgroup));
	while (go_up(cgroup, base));
}

static const char *first_mount(const char *one, const char *other)
{
	return exists(one) ? one : other;
}

bool cgroup_open(struct cgroup *cgroup, struct source_count *count)
{
	const char *mount = MOUNTS;

	cgroup->count = count;
	cgroup->memory_fd = cgroup->oom_fd = cgroup->cpu_fd = cgroup->throttle_fd = -1;
	cgroup->memory_limit_bytes = cgroup->cpu_limit_milli = LOG_NONE;
	cgroup->is_v2 = exists(MOUNTS "/cgroup.controllers");
	open_memory(cgroup, find_group(cgroup, cgroup->is_v2 ? mount : MOUNTS "/memory", cgroup->is_v2 ? "" : "memory"));
	if (!cgroup->is_v2) {
		find_group(cgroup, first_mount(MOUNTS "/cpuacct", MOUNTS "/cpu,cpuacct"), "cpuacct");
		cgroup->cpu_fd = open_file(cgroup, "/cpuacct.usage");
	}
	mount = cgroup->is_v2 ? mount : first_mount(MOUNTS "/cpu", MOUNTS "/cpu,cpuacct");
	open_cpu(cgroup, find_group(cgroup, mount, cgroup->is_v2 ? "" : "cpu"));
	return cgroup->memory_fd >= 0 || cgroup->cpu_fd >= 0 || cgroup->throttle_fd >= 0;
}

void cgroup_close(struct cgroup *cgroup)
{
	source_close(&cgroup->memory_fd);
	source_close(&cgroup->oom_fd);
	source_close(&cgroup->cpu_fd);
	source_close(&cgroup->throttle_fd);
}

void cgroup_read(struct cgroup *cgroup, struct figures *figures)
{
	figures->cgroup_memory_limit_bytes = cgroup->memory_limit_bytes;
	figures->cgroup_cpu_limit = cgroup->cpu_limit_milli;
	if (read_text(cgroup, cgroup->memory_fd) > 0)
		figures->cgroup_memory_bytes = cgroup_parse_limit(cgroup->buffer);
	if (read_text(cgroup, cgroup->oom_fd) > 0)
		figures->cgroup_oom_kills = cgroup_parse_key(cgroup->buffer, "oom_kill ");
	if (read_text(cgroup, cgroup->cpu_fd) > 0)
		figures->cgroup_cpu_ns = cgroup_parse_limit(cgroup->buffer);
	if (read_text(cgroup, cgroup->throttle_fd) <= 0)
		return;
	if (cgroup->is_v2) {
		figures->cgroup_cpu_ns = cgroup_us_to_ns(cgroup_parse_key(cgroup->buffer, "usage_usec "));
		figures->cgroup_throttled_ns = cgroup_us_to_ns(cgroup_parse_key(cgroup->buffer, "throttled_usec "));
	} else {
		figures->cgroup_throttled_ns = cgroup_parse_key(cgroup->buffer, "throttled_time ");
	}
}
