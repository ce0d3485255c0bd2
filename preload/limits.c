/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits that the program sets itself, or runs into by locking its memory: the log's mapping, nearly all of it room that
 * no file stands behind yet, counts in them. It is cut before they count.
 */
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "live.h"
#include "process_id.h"
#include "real.h"
#include "room.h"
#include "text.h"

#define LOCKED_RESERVE_BYTES	(4u << 20)
#define LOCKED_SHARE		16	/* of RLIMIT_MEMLOCK: what may be locked of the log's room */
#define ADDRESS_SPACE_SHARE	4	/* of what RLIMIT_AS leaves, as when the log was opened */

/* Is what this process locks counted against a limit? Then that limit. */
static bool has_lock_limit(uint64_t *limit_bytes)
{
	struct __user_cap_header_struct version = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	struct rlimit limit;

	if (raw_syscall(SYS_prlimit64, 0, RLIMIT_MEMLOCK, 0, (long)&limit, 0, 0) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return false;
	*limit_bytes = limit.rlim_cur;
	return raw_syscall(SYS_capget, (long)&version, (long)sets, 0, 0, 0, 0) < 0 ||
	       !(sets[CAP_IPC_LOCK / 32].effective & 1u << CAP_IPC_LOCK % 32);
}

EXPORT int mlockall(int flags)
{
	uint64_t bytes;

	if (unlikely(!real.mlockall))
		real_init();
	if (has_lock_limit(&bytes)) {
		bytes /= LOCKED_SHARE;
		room_cut(live.log ? live.log->tail_bytes + (bytes < LOCKED_RESERVE_BYTES ? bytes : LOCKED_RESERVE_BYTES) : 0);
	}
	return real.mlockall ? real.mlockall(flags) : -1;
}

/* The program's own mappings: statm's first number, less the log's. */
static uint64_t other_bytes(const struct log_header *log)
{
	char content[64];
	const char *at = content;
	uint64_t pages = 0;

	if (read_file("/proc/self/statm", content, sizeof(content)) > 0)
		text_read_u64(&at, &pages);
	return pages * log->page_bytes > log->map_bytes ? pages * log->page_bytes - log->map_bytes : 0;
}

static void limit_is_set(int resource, const struct rlimit *limit)
{
	uint64_t others;

	if (resource != RLIMIT_AS || !limit || limit->rlim_cur == RLIM_INFINITY || !live.log || live_is_sealed())
		return;
	others = other_bytes(live.log);
	room_cut(limit->rlim_cur > others ? (limit->rlim_cur - others) / ADDRESS_SPACE_SHARE : 0);
}

#define SETRLIMIT(name, type)                                                   \
	EXPORT int name(__rlimit_resource_t resource, const struct type *limit)        \
	{                                                                       \
		int result = -1;                                                \
										\
		if (unlikely(!real.name))                                       \
			real_init();                                            \
		if (real.name)                                                  \
			result = real.name(resource, limit);                    \
		if (result == 0)                                                \
			limit_is_set((int)resource, (const struct rlimit *)limit);  \
		return result;                                                  \
	}
SETRLIMIT(setrlimit, rlimit)
SETRLIMIT(setrlimit64, rlimit64)

#define PRLIMIT(name, type)                                                     \
	EXPORT int name(pid_t pid, enum __rlimit_resource resource, const struct type *limit, struct type *old) \
	{                                                                       \
		int result = -1;                                                \
										\
		if (unlikely(!real.name))                                       \
			real_init();                                            \
		if (real.name)                                                  \
			result = real.name(pid, resource, limit, old);          \
		if (result == 0 && (pid == 0 || pid == (pid_t)sys_getpid()))    \
			limit_is_set((int)resource, (const struct rlimit *)limit);  \
		return result;                                                  \
	}
PRLIMIT(prlimit, rlimit)
PRLIMIT(prlimit64, rlimit64)
