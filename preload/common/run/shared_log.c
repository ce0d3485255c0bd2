/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens, makes and grows the log that programs share. Several processes may do so at the same time. */
#include "preload/common/run/shared_log.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"
#include "preload/common/log/log.h"
#include "preload/common/run/log_create.h"
#include "preload/common/run/run_logs.h"

#define BUDGET_BYTES	(64u << 20)	/* for some 80,000 programs; later ones get logs of their own */
#define AHEAD_BYTES	(64u << 10)

static bool may_read_ticks(const struct log_header *log)
{
	int tsc = 0;

	return log->clock != LOG_CLOCK_TSC || !CLOCK_MAY_BE_UNTRUSTED ||
	       (raw_syscall(SYS_prctl, PR_GET_TSC, (long)&tsc, 0, 0, 0, 0) == 0 && tsc == PR_TSC_ENABLE);
}

/*
 * Is it a shared log that is complete, of this boot of this host? A log that is being made is not
 * waited for.
 */
static bool is_fit(const struct log_header *log, const struct process_id *id)
{
	return log->magic == LOG_MAGIC && log->version == LOG_VERSION && log->kind == LOG_OF_PROGRAMS &&
	       (id->boot_id[0] ? text_equal(log->boot_id, id->boot_id)
			       : log->boot_id[0] && !log->several_boots) &&
	       may_read_ticks(log);
}

/* Grow so far ahead that other processes find room too. */
static void grow(struct log_header *log, int fd)
{
	uint64_t tail = __atomic_load_n(&log->tail_bytes, __ATOMIC_RELAXED);

	if (tail + AHEAD_BYTES > __atomic_load_n(&log->file_bytes, __ATOMIC_RELAXED))
		log_grow(log, fd, tail + AHEAD_BYTES);
}

static int map(struct run *run, const struct process_id *id, int fd)
{
	struct log_header head;
	long place;

	if (sys_pread(fd, &head, sizeof(head), 0) != sizeof(head) || !is_fit(&head, id))
		return -EINVAL;
	place = sys_mmap(NULL, head.map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (sys_failed(place))
		return (int)place;
	run->shared = (struct log_header *)place;
	grow(run->shared, fd);
	return 0;
}

static int open_shared(const struct run *run, const struct process_id *id, int flags)
{
	char path[RUN_PATH_BYTES];

	run_shared_log(path, sizeof(path), run, id);
	return (int)sys_open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0);
}

/*
 * The log changes all the time, so the file system would note the time of each reading. Only the
 * file's owner may turn that off.
 */
int shared_log_map(struct run *run, const struct process_id *id)
{
	int fd = open_shared(run, id, O_RDWR | O_NOATIME), error;

	if (fd == -EPERM)
		fd = open_shared(run, id, O_RDWR);
	if (fd < 0)
		return fd;
	error = map(run, id, fd);
	sys_close(fd);
	return error;
}

/* The log has neither a pid nor a program's name. */
int shared_log_make(struct run *run, const struct process_id *id, const struct settings *settings,
		    uint64_t us_ticks)
{
	struct process_id nobody = *id;
	struct log_open open = { .run = run, .id = &nobody, .settings = settings, .kind = LOG_OF_PROGRAMS,
				 .clock = choose_clock(), .most_bytes = BUDGET_BYTES };
	struct log_header *log;
	int error;

	nobody.pid = nobody.ppid = 0;
	nobody.program[0] = '\0';
	nobody.start = 0;
	error = log_open(&open, &log, NULL);
	if (error && error != -EEXIST)
		run->page->no_shared_log = 1;
	if (error)
		return error;
	log->start_cost_ns = LOG_NONE;
	log->threshold_floor_ticks = log->clock == LOG_CLOCK_TSC ? us_ticks : 1000;
	clock_read_all(log->clock, &log->start_again);
	__atomic_store_n(&log->magic, LOG_MAGIC, __ATOMIC_SEQ_CST);
	/* A process that reported another boot before this log existed did not find it. */
	log->several_boots = __atomic_load_n(&run->page->several_boots, __ATOMIC_SEQ_CST);
	run->shared = log;
	return 0;
}

void shared_log_leave(struct run *run)
{
	sys_munmap(run->shared, run->shared->map_bytes);
	run->shared = NULL;
}

void shared_log_tell_boots(const struct run *run, const struct process_id *id)
{
	const uint32_t yes = 1;
	int fd = open_shared(run, id, O_WRONLY);

	if (fd < 0)
		return;
	raw_syscall(SYS_pwrite64, fd, (long)&yes, sizeof(yes), offsetof(struct log_header, several_boots), 0,
		    0);
	sys_close(fd);
}
