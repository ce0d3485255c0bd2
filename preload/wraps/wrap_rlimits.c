/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits that the program sets, or reaches by locking its memory. The log's mapping counts in them, although
 * most of it has no file behind it yet. It is cut before they apply.
 */
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "preload/common/base/text.h"
#include "preload/common/run/process_id.h"
#include "preload/heap/heap.h"
#include "preload/objects/next_functions.h"
#include "preload/state/log_space.h"

#define LOCKED_RESERVE_BYTES	(4u << 20)
#define LOCKED_SHARE		16	/* of RLIMIT_MEMLOCK: the largest part for locked pages of the log */
#define ADDRESS_SPACE_SHARE	4	/* of what RLIMIT_AS leaves, as when the log was opened */

/* Does memory locked by this process count against a limit? Sets that limit. */
static bool has_lock_limit(uint64_t *limit_bytes)
{
	struct __user_cap_header_struct version = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	struct rlimit limit;

	if (raw_syscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, (long)&limit, 0, 0) < 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return false;
	*limit_bytes = limit.rlim_cur;
	return raw_syscall(SYS_capget, (long)&version, (long)sets, 0, 0, 0, 0) < 0 ||
	       !(sets[CAP_IPC_LOCK / 32].effective & 1u << CAP_IPC_LOCK % 32);
}

/* A forked child that still has its ancestor's mapping opens a log of its own, and drops that mapping. */
static bool has_own_log(void)
{
	return live.log || live_open_child();
}

EXPORT int mlockall(int flags)
{
	uint64_t bytes;

	if (has_lock_limit(&bytes) && has_own_log()) {
		bytes /= LOCKED_SHARE;
		room_cut(live.log->tail_bytes +
			 (bytes < LOCKED_RESERVE_BYTES ? bytes : LOCKED_RESERVE_BYTES));
		heap_cut_space();
	}
	return real_find(mlockall) ? real.mlockall(flags) : -1;
}

static bool is_for_space(int resource, const void *limit)
{
	return (resource == RLIMIT_AS || resource == RLIMIT_DATA) && limit && has_own_log() &&
	       !live_is_sealed();
}

/* The program's own mappings: statm's first number, without the log. */
static uint64_t other_bytes(const struct log_header *log)
{
	char content[64];
	const char *at = content;
	uint64_t pages = 0;

	if (read_file("/proc/self/statm", content, sizeof(content)) > 0)
		text_read_u64(&at, &pages);
	return pages * log->page_bytes > log->map_bytes ? pages * log->page_bytes - log->map_bytes : 0;
}

/* Read the limit again: the caller's structure may hold the old one. The log is not in RLIMIT_DATA. */
static void limit_is_set(void)
{
	uint64_t others = other_bytes(live.log);
	struct rlimit limit;

	if (raw_syscall(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		room_cut(limit.rlim_cur > others ? (limit.rlim_cur - others) / ADDRESS_SPACE_SHARE : 0);
	heap_limit_space();
}

#define SETRLIMIT(name, type)                                                   \
	EXPORT int name(__rlimit_resource_t resource, const struct type *limit)        \
	{                                                                       \
		bool is_space = is_for_space((int)resource, limit);             \
		int result = -1;                                                \
										\
		if (real_find(name))                                            \
			result = real.name(resource, limit);                    \
		if (result == 0 && is_space)                                    \
			limit_is_set();                                         \
		return result;                                                  \
	}
SETRLIMIT(setrlimit, rlimit)
SETRLIMIT(setrlimit64, rlimit64)

#define PRLIMIT(name, type)                                                                                  \
	EXPORT int name(pid_t pid, enum __rlimit_resource resource, const struct type *limit,                \
			struct type *old)                                                                    \
	{                                                                                                    \
		bool is_space =                                                                              \
			is_for_space((int)resource, limit) && (pid == 0 || pid == (pid_t)sys_getpid());      \
		int result = -1;                                                                             \
                                                                                                             \
		if (real_find(name))                                                                         \
			result = real.name(pid, resource, limit, old);                                       \
		if (result == 0 && is_space)                                                                 \
			limit_is_set();                                                                      \
		return result;                                                                               \
	}
PRLIMIT(prlimit, rlimit)
PRLIMIT(prlimit64, rlimit64)
