/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Room for the recorder's areas: how much of the budget each kind may take, and growth if the sampler did not
 * grow the log ahead.
 */
#include "preload/state/log_space.h"

#include <linux/falloc.h>

#include "preload/common/base/text.h"
#include "preload/common/log/log.h"
#include "preload/common/log/log_elsewhere.h"
#include "preload/common/run/run.h"
#include "preload/objects/fork_gate.h"
#include "preload/state/live.h"

#define RESERVE_BYTES	(4u << 20)
#define RECORDS_BYTES	(32u << 10)
#define WORTH_BYTES	(128u << 10)	/* returning less costs the file system more time than it took to
					 * get it */
#define RETRY_TICKS	(1ull << 31)	/* about a second */
#define CUT_WAIT_NS	100000

LARGE static char path[RUN_PATH_BYTES];		/* set before any thread, and by a forked child; home too */
LARGE static char home[RUN_PATH_BYTES];
static uint64_t retry_growth_ticks;	/* do not try to grow before this */
static uint32_t is_cutting;		/* by one thread */

void log_space_init(const char *log_path, const char *log_home)
{
	text_copy(path, sizeof(path), log_path);
	text_copy(home, sizeof(home), log_home);
	retry_growth_ticks = 0;
	is_cutting = 0;
}

const char *log_space_path(void)
{
	return path;
}

void log_space_bring_home(void)
{
	if (home[0])
		elsewhere_bring_home(home);
}

/* How far each kind of area may fill the log. */
static uint64_t share_of(enum log_area_kind kind)
{
	static const uint8_t sixteenths[] = {
		[LOG_AREA_NODES] = 16,	  [LOG_AREA_INDEX] = 16,     [LOG_AREA_FRAMES] = 15,
		[LOG_AREA_HEAPS] = 15,	  [LOG_AREA_THREAD] = 15,    [LOG_AREA_SAMPLES] = 10,
		[LOG_AREA_ERRORS] = 15,	  [LOG_AREA_READINGS] = 15,  [LOG_AREA_SCRATCH] = 15,
		[LOG_AREA_COUNTERS] = 13, [LOG_AREA_UNCOUNTED] = 14, [LOG_AREA_WAITS] = 12,
		[LOG_AREA_TRANSFERS] = 10,
		[LOG_AREA_LINE_COUNTS] = 14, [LOG_AREA_STACK_COPY] = 16, [LOG_AREA_CALL_PLACES] = 12,
		[LOG_AREA_LINE_EVENTS] = 12,
	};

	if (kind == LOG_AREA_SLICES)
		return log_slice_share(live.log);
	return live.log->map_bytes / 16 * sixteenths[kind];
}

bool log_space_is_kept(uint64_t bytes)
{
	return __atomic_load_n(&live.log->tail_bytes, __ATOMIC_RELAXED) + bytes >
	       live.log->map_bytes / 16 * 13;
}

/* Extend the file to @bytes. By its path, because no descriptor is kept in the program. */
static bool grow_by_path(struct log_header *log, uint64_t bytes)
{
	uint64_t mask, now = now_ticks();
	long fd, error;

	if (live_is_sealed() || live_is_private ||
	    now < __atomic_load_n(&retry_growth_ticks, __ATOMIC_RELAXED))
		return false;
	sys_block_signals(&mask);
	moment_begin();
	fd = sys_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	error = log_grow(log, fd < 0 ? -1 : (int)fd, bytes);
	if (fd >= 0)
		sys_close((int)fd);
	moment_end();
	sys_restore_signals(&mask);
	if (error < 0)
		__atomic_store_n(&retry_growth_ticks, now + RETRY_TICKS, __ATOMIC_RELAXED);
	return error == 0;
}

struct log_area *log_space_new_area(enum log_area_kind kind, uint32_t owner, uint64_t bytes,
				    uint32_t head_bytes, uint32_t record_bytes)
{
	struct log_header *log = live.log;
	struct log_area *area;
	uint64_t tail;

	if (__atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED) + bytes > share_of(kind))
		return NULL;
	while (!(area = log_claim(log, kind, owner, bytes, head_bytes, record_bytes))) {
		tail = __atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED);
		if (!grow_by_path(log, tail + bytes + LOG_AREA_ALIGN))
			return NULL;
	}
	return area;
}

void log_space_for_records(struct log_header *log)
{
	uint64_t bytes = __atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED) + RECORDS_BYTES;

	if (bytes > __atomic_load_n(&log->file_bytes, __ATOMIC_RELAXED))
		grow_by_path(log, bytes);
}

void log_space_reserve(void)
{
	if (live.log)
		grow_by_path(live.log,
			     __atomic_load_n(&live.log->tail_bytes, __ATOMIC_RELAXED) + RESERVE_BYTES);
}

/* The user may not open the log, and root's log is not given away: it holds addresses that are written to. */
void log_space_before_user(uint32_t user)
{
	struct log_header *log = live.log;
	uint64_t mask, bytes;
	long fd;

	if (!user || !log || log->long_bytes || live_is_sealed() || live_is_private ||
	    log->pid != (uint32_t)sys_getpid() || raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0))
		return;
	bytes = log->map_bytes < sys_limit(RLIMIT_FSIZE) ? log->map_bytes : sys_limit(RLIMIT_FSIZE);
	if (bytes <= __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE))
		return;
	sys_block_signals(&mask);
	moment_begin();
	fd = sys_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd >= 0) {
		if (raw_syscall(SYS_ftruncate, fd, (long)bytes, 0, 0, 0, 0) == 0)
			log->long_bytes = bytes;
		sys_close((int)fd);
	}
	moment_end();
	sys_restore_signals(&mask);
}

/*
 * A writer may have seen the old end, and be about to claim an area past the new one. So claim an area here:
 * the writer's exchange of tail_bytes then fails, and it looks again.
 */
static void cut(struct log_header *log, uint64_t bytes)
{
	uint64_t mapped = log->map_bytes, end;

	grow_by_path(log, log->tail_bytes + 2 * LOG_AREA_ALIGN);
	end = __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE);
	if (end < bytes)
		end = (bytes + log->page_bytes - 1) & ~(uint64_t)(log->page_bytes - 1);
	if (end >= mapped)
		return;
	__atomic_store_n(&log->map_bytes, end, __ATOMIC_SEQ_CST);
	if (!log_claim(log, LOG_AREA_RECORDS, 0, LOG_AREA_ALIGN, sizeof(struct log_area), 0)) {
		__atomic_store_n(&log->map_bytes, mapped, __ATOMIC_RELEASE);	/* all of it stays */
		return;
	}
	bytes = __atomic_load_n(&log->tail_bytes, __ATOMIC_ACQUIRE);
	if (bytes > end) {
		end = bytes;
		__atomic_store_n(&log->map_bytes, end, __ATOMIC_RELEASE);
	}
	sys_munmap((char *)log + end, mapped - end);
}

void room_cut(uint64_t bytes)
{
	struct log_header *log = live.log;
	uint64_t mask;

	/* a vfork child runs in its parent's memory */
	if (!log || live_is_sealed() || log->pid != (uint32_t)sys_getpid())
		return;
	sys_block_signals(&mask);
	while (__atomic_exchange_n(&is_cutting, 1, __ATOMIC_ACQUIRE))
		sys_futex_wait(&is_cutting, 1, CUT_WAIT_NS);
	cut(log, bytes);
	__atomic_store_n(&is_cutting, 0, __ATOMIC_RELEASE);
	sys_restore_signals(&mask);
}

/*
 * Hooks of destructors that still come extend the file again. A thread that has no record yet, or a forked
 * child that writes its entry, may be about to claim an area. It must look again, so an area is claimed here
 * as in cut().
 */
void log_space_give_back(void)
{
	struct log_header *log = live.log;
	uint64_t tail = log->tail_bytes, reached = log->file_bytes, mask;
	long fd;

	if (log->nr_threads > 1 || reached < tail + WORTH_BYTES)
		return;
	sys_block_signals(&mask);
	moment_begin();
	fd = sys_open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd >= 0) {
		tail += LOG_AREA_ALIGN;
		__atomic_store_n(&log->file_bytes, tail, __ATOMIC_SEQ_CST);
		if (log_claim(log, LOG_AREA_RECORDS, 0, LOG_AREA_ALIGN, sizeof(struct log_area), 0))
			raw_syscall(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (long)tail,
				    (long)(reached - tail), 0, 0);
		sys_close((int)fd);
	}
	moment_end();
	sys_restore_signals(&mask);
}
