/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Readings of RSS and VMS by the hooks. */
#include "preload/state/rss_at_calls.h"

#include <sys/resource.h>

#include "preload/common/base/proc_text.h"
#include "preload/state/log_space.h"

#define TABLE_MOST	1024u		/* for the descriptor's number: a higher one would enlarge the
					 * kernel's table and slow each fork */
#define TABLE_LEFT	8u		/* attempts to find a free number */

/* Of /proc/self/statm; < 0: not open. Atomic: if the program closes it, the next reading opens it again. */
static int statm_fd = -1;
static uint32_t is_opening;		/* by one thread; the others go without a reading */

static const struct log_memory_reading unknown = { LOG_NONE, LOG_NONE };

/* Near the end of the table, where no program expects one of its own. Return: descriptor, or -errno */
static int open_high(void)
{
	uint64_t bound = TABLE_MOST;
	struct rlimit limit;
	int fd, high;

	if (raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0, 0) == 0 &&
	    limit.rlim_cur < bound)
		bound = limit.rlim_cur;
	fd = (int)sys_open("/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	high = (int)raw_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC,
				(long)(bound > TABLE_LEFT ? bound - TABLE_LEFT : 0), 0, 0, 0);
	sys_close(fd);
	return high;
}

/* A handler must neither find it half open nor jump out of it. */
static void open_again(void)
{
	uint64_t mask;

	if (__atomic_exchange_n(&is_opening, 1, __ATOMIC_ACQUIRE))
		return;
	sys_block_signals(&mask);
	__atomic_store_n(&statm_fd, open_high(), __ATOMIC_RELAXED);
	__atomic_store_n(&is_opening, 0, __ATOMIC_RELEASE);
	sys_restore_signals(&mask);
}

/* Return: 0; -ESRCH: the process is gone; another error: it is not our file, or not open */
static int read_statm(struct proc_statm *statm)
{
	char text[128];
	int fd = __atomic_load_n(&statm_fd, __ATOMIC_RELAXED);
	long length = fd < 0 ? fd : sys_pread(fd, text, sizeof(text) - 1, 0);

	if (length < 0)
		return (int)length;
	text[length] = '\0';
	return proc_parse_statm(text, statm);
}

void memory_begin(const struct log_header *log)
{
	struct proc_statm of_parent;
	int error;

	live.heap_in_slices = log->snapshot & LOG_SNAPSHOT_HEAP;
	live.reads_memory = log->snapshot & LOG_SNAPSHOT_EVERY && log->timing != LOG_TIMING_COUNTS;
	live.has_slow_slices = live.reads_memory || settings.value[SETTING_VERBOSE];
	log_keep_in_memory(live.reads_memory ? log : NULL);
	if (statm_fd < 0)
		return;
	error = read_statm(&of_parent);		/* inherited by a fork */
	if (!error || error == -ESRCH)
		sys_close(statm_fd);
	statm_fd = -1;
	is_opening = 0;
}

static uint64_t less(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

void memory_read(struct log_memory_reading *now)
{
	const struct log_header *log = live.log;
	struct proc_statm statm;

	*now = unknown;
	if (!log || live_is_sealed())
		return;
	if (read_statm(&statm) < 0) {
		open_again();
		if (read_statm(&statm) < 0)
			return;
	}
	now->rss_bytes = less(statm.resident_pages * log->page_bytes,
			      __atomic_load_n(&log->heap_map_bytes, __ATOMIC_RELAXED) +
				      __atomic_load_n(&log->resident_bytes, __ATOMIC_RELAXED));
	now->vms_bytes = less(statm.size_pages * log->page_bytes,
			      __atomic_load_n(&log->heap_reserved_bytes, __ATOMIC_RELAXED) + log->map_bytes);
}

uint32_t memory_new_area(const struct log_thread *thread, uint64_t nr_frames)
{
	struct log_area *area =
		log_space_new_area(LOG_AREA_READINGS, thread->head.self,
				   sizeof(*area) + nr_frames * sizeof(struct log_memory_reading),
				   sizeof(*area), sizeof(struct log_memory_reading));

	return area ? area->self : 0;
}

static struct log_memory_reading *place_of(struct log_frames *area, const struct log_frame *frame)
{
	struct log_area *beside = log_at(live.log, area->head.beside);
	uint64_t bytes = (uint64_t)frame - (uint64_t)(area + 1);

	if (!area->head.beside || bytes >= area->head.bytes - sizeof(*area))
		return NULL;
	return (struct log_memory_reading *)(beside + 1) + bytes / sizeof(*frame);
}

const struct log_memory_reading *memory_of(struct log_frames *area, const struct log_frame *frame)
{
	const struct log_memory_reading *place = place_of(area, frame);

	return place ? place : &unknown;
}

void memory_keep(const struct log_thread *thread, const struct log_frame *frame,
		 const struct log_memory_reading *now)
{
	struct log_memory_reading *place = place_of(log_at(live.log, thread->frames), frame);

	if (place)
		*place = *now;
}
