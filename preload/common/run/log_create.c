/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a log: how large it may become, the mapping, the header. */
#include "preload/common/run/log_create.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/vfs.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/log/log_elsewhere.h"
#include "preload/common/log/rusage.h"
#include "preload/common/run/process_id.h"
#include "preload/common/run/run_logs.h"

#define FIRST_BYTES		(128u << 10)	/* enough for a short program */
#define LEAST_BUDGET		(1u << 20)
#define TMPFS_MAGIC		0x01021994
#define ADDRESS_SPACE_SHARE	4		/* part of what the limit on address space leaves */
#define FREE_SPACE_SHARE	10
#define MEMORY_SHARE		16	/* part of the control group's limit, if the log lies in memory */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Read the number at the start of a file. Return: UINT64_MAX when there is none. */
struct budget {
	uint64_t bytes;
	int error;		/* the message if that is too little */
};

static void cut(struct budget *budget, uint64_t bytes, int error)
{
	if (bytes < budget->bytes)
		*budget = (struct budget){ bytes, error };
}

/* Cut the budget to what the disk, the limits and, for logs in memory, the control group leave. */
static void cut_budget(struct budget *budget, int fd)
{
	uint64_t address_space = sys_limit(RLIMIT_AS);
	struct statfs fs;

	if (raw_syscall(SYS_fstatfs, fd, (long)&fs, 0, 0, 0, 0) == 0) {
		if (fs.f_blocks)	/* otherwise the file system does not know its size */
			cut(budget, (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize / FREE_SPACE_SHARE, -ENOSPC);
		if (fs.f_type == TMPFS_MAGIC)
			cut(budget, number_in("/sys/fs/cgroup/memory.max") / MEMORY_SHARE, -ENOMEM);
	}
	if (address_space != UINT64_MAX)	/* the first number of statm is the pages in use */
		address_space -= least(address_space, number_in("/proc/self/statm") * LOG_AREA_ALIGN);
	cut(budget, address_space / ADDRESS_SPACE_SHARE, -ENOMEM);
	cut(budget, sys_limit(RLIMIT_FSIZE), -EFBIG);
	budget->bytes &= ~(uint64_t)(LOG_AREA_ALIGN - 1);
}

uint32_t choose_clock(void)
{
	char source[16];
	int tsc = 0;

	if (!CLOCK_MAY_BE_UNTRUSTED)
		return LOG_CLOCK_TSC;
	if (read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
		      sizeof(source)) <= 0 ||
	    !text_equal(source, "tsc\n"))
		return LOG_CLOCK_MONOTONIC;
	if (raw_syscall(SYS_prctl, PR_GET_TSC, (long)&tsc, 0, 0, 0, 0) < 0 || tsc != PR_TSC_ENABLE)
		return LOG_CLOCK_MONOTONIC;
	return LOG_CLOCK_TSC;
}

/* A record of every call, and memory read at every call, mean that every call is timed. */
static uint32_t timing_of(const struct settings *settings)
{
	static const uint32_t timings[] = {
		[TIMING_EXACT] = LOG_TIMING_EXACT,
		[TIMING_AUTO] = LOG_TIMING_AUTO,
		[TIMING_COUNTS] = LOG_TIMING_COUNTS,
	};
	uint32_t timing = timings[settings->value[SETTING_TIMING]];
	bool wants_all =
		!settings->value[SETTING_THRESHOLD] || settings->value[SETTING_SNAPSHOT] & LOG_SNAPSHOT_EVERY;

	return timing == LOG_TIMING_AUTO && wants_all ? LOG_TIMING_EXACT : timing;
}

static void fill_header(struct log_header *log, const struct log_open *open, uint64_t budget,
			uint32_t exec_count)
{
	const struct process_id *id = open->id;
	struct usage_totals totals;

	log->version = LOG_VERSION;
	log->byte_order = LOG_BYTE_ORDER;
	log->header_bytes = LOG_HEADER_BYTES;
	log->kind = open->kind;
	log->base_addr = (uint64_t)(uintptr_t)log;
	log->map_bytes = budget;
	log->pid = id->pid;
	log->ppid = id->ppid;
	log->uid = (uint32_t)raw_syscall(SYS_getuid, 0, 0, 0, 0, 0, 0);
	log->exec_count = exec_count;
	log->process_start = id->start;
	text_copy(log->boot_id, sizeof(log->boot_id), id->boot_id);
	text_copy(log->host, sizeof(log->host), id->host);
	text_copy(log->program, sizeof(log->program), id->program);
	log->rank = id->rank.rank;
	log->nr_ranks = id->rank.nr_ranks;
	log->local_rank = id->rank.local_rank;
	log->is_rank_child = id->rank.is_child;
	text_copy(log->launch_id, sizeof(log->launch_id), id->rank.launch_id);
	log->clock = open->clock;
	log->timing = timing_of(open->settings);
	log->heap_bytes = open->settings->value[SETTING_HEAP] == HEAP_OFF ? LOG_HEAP_OFF : LOG_HEAP_USABLE;
	log->slice_shift = open->clock == LOG_CLOCK_TSC ? 3 : 0;
	log->page_bytes = LOG_AREA_ALIGN;
	log->snapshot = (uint32_t)open->settings->value[SETTING_SNAPSHOT];
	log->memory_limit_bytes = settings_ceiling_bytes(open->settings->value[SETTING_MAX_MEMORY]);
	log->memory_action = settings_ceiling_choice(open->settings->value[SETTING_MAX_MEMORY]);
	log->interval_ns = open->settings->value[SETTING_INTERVAL];
	log->threshold_set_ns = open->settings->value[SETTING_THRESHOLD];
	log->last_calls = open->settings->value[SETTING_LAST];
	log->tail_bytes = log->resident_bytes = LOG_HEADER_BYTES;
	log->file_bytes = FIRST_BYTES;
	log->next_step_bytes = log_slice_share(log) / 2;
	usage_read_totals(&totals);
	log->start_peak_rss_bytes = totals.peak_rss_bytes;
	log->start_cpu_ns = totals.user_ns + totals.system_ns;
	clock_read_all(open->clock, &log->start);
}

/* Return: the mapping, or -errno. */
static long map_file(int fd, struct budget *budget)
{
	long error;

	cut_budget(budget, fd);
	if (budget->bytes < LEAST_BUDGET)
		return budget->error;
	error = sys_fallocate(fd, 0, FIRST_BYTES);
	return error ? error : sys_mmap(NULL, budget->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/*
 * The run's file system cannot hold a log that is being written: make it elsewhere. @fd: the run's
 * file; replaced by the log's.
 */
static long map_elsewhere(struct log_open *open, int *fd, struct budget *budget)
{
	long place = -EOPNOTSUPP, away;

	cut_budget(budget, *fd);	/* the log will be moved to this file system at its end */
	text_copy(open->home, sizeof(open->home), open->path);
	for (unsigned number = 0;
	     sys_failed(place) && (away = elsewhere_create(number, open->path)) != -ENOENT; number++) {
		if (away < 0)
			continue;
		place = map_file((int)away, budget);
		if (!sys_failed(place)) {
			long error = elsewhere_point(*fd, open->path);

			if (!error) {
				sys_close(*fd);
				*fd = (int)away;
				return place;
			}
			sys_munmap((void *)place, budget->bytes);
			place = error;
		}
		sys_unlink(open->path);
		sys_close((int)away);
	}
	text_copy(open->path, sizeof(open->path), open->home);
	return place;
}

int log_open(struct log_open *open, struct log_header **log, int *kept_fd)
{
	struct budget budget = { open->settings->value[SETTING_BUDGET], -EINVAL };
	uint32_t exec_count;
	long place;
	int fd;

	if (open->most_bytes)
		cut(&budget, open->most_bytes, -EINVAL);
	open->home[0] = '\0';
	fd = run_new_log(open->run, open->id, open->path, sizeof(open->path), &exec_count);
	if (fd < 0)
		return fd;
	place = elsewhere_is_remote(fd) ? -EOPNOTSUPP : map_file(fd, &budget);
	/* No process would move that one home */
	if (elsewhere_is_wanted(place) && open->kind != LOG_OF_PROGRAMS)
		place = map_elsewhere(open, &fd, &budget);
	if (kept_fd && !sys_failed(place))
		*kept_fd = fd;
	else
		sys_close(fd);
	if (sys_failed(place)) {
		sys_unlink(open->path);
		return (int)place;
	}
	*log = (struct log_header *)place;
	fill_header(*log, open, budget.bytes, exec_count);
	return 0;
}
