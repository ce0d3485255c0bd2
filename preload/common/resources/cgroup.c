/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the files of control groups. */
#include "preload/common/resources/cgroup.h"

#include "preload/common/base/proc_text.h"

#define NO_LIMIT (1ull << 62)	/* version 1 writes the largest number of whole pages for "no limit" */
#define MOUNTS "/sys/fs/cgroup"	/* every distribution and container mounts them here */

uint64_t cgroup_line_length(const char *line)
{
	uint64_t length = 0;

	while (line[length] && line[length] != '\n')
		length++;
	return length;
}

/* Is @controller one of the names before the colon? */
static bool has_controller(const char *names, const char *controller)
{
	uint64_t length = text_length(controller);

	if (!length)
		return *names == ':';
	for (;;) {
		if (text_begins(names, controller) && (names[length] == ',' || names[length] == ':'))
			return true;
		while (*names && *names != ',' && *names != ':' && *names != '\n')
			names++;
		if (*names++ != ',')
			return false;
	}
}

const char *cgroup_parse_path(const char *text, const char *controller)
{
	while (*text) {
		const char *names = text_find(text, ':'), *end = text + cgroup_line_length(text);

		if (names && names < end && has_controller(names + 1, controller)) {
			const char *path = text_find(names + 1, ':');

			return path && path < end ? path + 1 : NULL;
		}
		text = *end ? end + 1 : end;
	}
	return NULL;
}

uint64_t cgroup_parse_limit(const char *text)
{
	uint64_t number;

	return scan_number(&text, &number) && number < NO_LIMIT ? number : LOG_NONE;
}

static uint64_t cpu_milli(uint64_t quota_us, uint64_t period_us)
{
	if (quota_us > UINT32_MAX || period_us > UINT32_MAX || !period_us)
		return LOG_NONE;
	return quota_us * 1000 / period_us;
}

uint64_t cgroup_parse_cpu_max(const char *text)
{
	uint64_t quota, period;

	return scan_number(&text, &quota) && scan_number(&text, &period) ? cpu_milli(quota, period)
									 : LOG_NONE;
}

uint64_t cgroup_parse_key(const char *text, const char *key)
{
	uint64_t value = LOG_NONE;
	const struct scan_key keys[] = { { key, &value } };

	scan_keys(text, keys, 1);
	return value;
}

uint64_t cgroup_us_to_ns(uint64_t us)
{
	uint64_t ns;

	return us == LOG_NONE || __builtin_mul_overflow(us, 1000u, &ns) ? LOG_NONE : ns;
}

static bool exists(const char *path)
{
	return raw_syscall(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0) == 0;
}

/* Append to the path. Return: its former length, so that the caller can cut it there again. */
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
	return proc_file_read(fd, cgroup->count, cgroup->buffer, sizeof(cgroup->buffer), 0);
}

static long read_file(struct cgroup *cgroup, const char *name)
{
	int fd = open_file(cgroup, name);
	long length = read_text(cgroup, fd);

	proc_file_close(&fd);
	return length;
}

/*
 * Put the path of our group under @mount into cgroup->path. A container without a namespace of
 * groups shows the host's path, but mounts the group itself. Return: the length of the mount's
 * part.
 */
static uint64_t find_group(struct cgroup *cgroup, const char *mount, const char *controller)
{
	int fd = proc_file_open(0, "self/cgroup");
	long length = read_text(cgroup, fd);
	const char *group = length > 0 ? cgroup_parse_path(cgroup->buffer, controller) : NULL;
	uint64_t base;

	proc_file_close(&fd);
	text_copy(cgroup->path, sizeof(cgroup->path), mount);
	base = text_length(cgroup->path);
	if (!group || group[0] != '/' || group[1] == '\n' || group[1] == '\0')
		return base;
	add(cgroup, group, cgroup_line_length(group));
	if (!exists(cgroup->path))
		cgroup->path[base] = '\0';
	return base;
}

/* Go up to the parent group. Return: false at the mount. */
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
	if (other < *limit)	/* LOG_NONE is larger than any limit */
		*limit = other;
}

static uint64_t find_memory_group(struct cgroup *cgroup)
{
	cgroup->is_v2 = exists(MOUNTS "/cgroup.controllers");
	return find_group(cgroup, cgroup->is_v2 ? MOUNTS : MOUNTS "/memory", cgroup->is_v2 ? "" : "memory");
}

static void read_memory_limit(struct cgroup *cgroup, uint64_t base)
{
	cgroup->memory_limit_bytes = LOG_NONE;
	do {
		if (read_file(cgroup, cgroup->is_v2 ? "/memory.max" : "/memory.limit_in_bytes") > 0)
			lower(&cgroup->memory_limit_bytes, cgroup_parse_limit(cgroup->buffer));
	} while (go_up(cgroup, base));
}

uint64_t cgroup_memory_limit(struct cgroup *cgroup)
{
	struct read_count count = { 0 };

	cgroup->count = &count;
	read_memory_limit(cgroup, find_memory_group(cgroup));
	cgroup->count = NULL;
	return cgroup->memory_limit_bytes;
}

static void open_memory(struct cgroup *cgroup)
{
	uint64_t base = find_memory_group(cgroup);

	cgroup->memory_fd = open_file(cgroup, cgroup->is_v2 ? "/memory.current" : "/memory.usage_in_bytes");
	cgroup->oom_fd = open_file(cgroup, cgroup->is_v2 ? "/memory.events" : "/memory.oom_control");
	read_memory_limit(cgroup, base);
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
	return cpu_milli(quota, cgroup_parse_limit(cgroup->buffer));
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

bool cgroup_open(struct cgroup *cgroup, struct read_count *count)
{
	const char *mount = MOUNTS;

	cgroup->count = count;
	cgroup->memory_fd = cgroup->oom_fd = cgroup->cpu_fd = cgroup->throttle_fd = -1;
	cgroup->cpu_limit_milli = LOG_NONE;
	open_memory(cgroup);
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
	proc_file_close(&cgroup->memory_fd);
	proc_file_close(&cgroup->oom_fd);
	proc_file_close(&cgroup->cpu_fd);
	proc_file_close(&cgroup->throttle_fd);
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
		figures->cgroup_throttled_ns =
			cgroup_us_to_ns(cgroup_parse_key(cgroup->buffer, "throttled_usec "));
	} else {
		figures->cgroup_throttled_ns = cgroup_parse_key(cgroup->buffer, "throttled_time ");
	}
}
