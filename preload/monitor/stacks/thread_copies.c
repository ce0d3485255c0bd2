/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/monitor/stacks/thread_copies.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/common/base/clock.h"
#include "preload/common/run/process_id.h"
#include "preload/monitor/stacks/stack_log.h"
#include "preload/monitor/stacks/target_process.h"
#include "preload/monitor/stacks/threads.h"

#define ATTEMPTS 5 /* a thread may begin to run while it is read */

struct copying {
	struct target target; /* its pid alone */
	struct log_header *log;
	int fd;
	struct other_thread thread;
	uint16_t flags;
	uint64_t begin_addr;
	long nr_bytes;
	uint8_t bytes[LOG_STACK_BYTES];
};

static long copy_stack(struct copying *copying)
{
	copying->begin_addr = copying->thread.registers.at[REGISTER_SP] - RED_ZONE_BYTES;
	copying->nr_bytes =
		target_read(&copying->target, copying->begin_addr, copying->bytes, sizeof(copying->bytes));
	return copying->nr_bytes;
}

static bool copy_stopped(struct copying *copying)
{
	if (thread_stop(&copying->thread) < 0)
		return false;
	copy_stack(copying);
	thread_go_on(&copying->thread);
	return copying->nr_bytes > 0;
}

/* Return: whether the copy is whole. */
static bool copy_now(struct copying *copying)
{
	struct other_thread *thread = &copying->thread;

	switch (thread_look(thread)) {
	case THREAD_RUNS:
		copying->flags = sample_flags(LOG_SAMPLE_RUNNING, NO_CALL);
		return copy_stopped(copying);
	case THREAD_WAITS:
		copying->flags = sample_flags(LOG_SAMPLE_WAITING, thread->call);
		if (thread_may_be_stopped(thread) && copy_stopped(copying))
			return true;
		return copy_stack(copying) > 0 && thread_still_waits(thread);
	default:
		return false;
	}
}

static void read_name(const struct copying *copying, struct log_stack_copy *copy)
{
	char path[64];
	long nr;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)copying->target.pid,
		 (int)copying->thread.tid);
	nr = read_file(path, copy->name, sizeof(copy->name));
	if (nr > 0)
		copy->name[nr - 1] = '\0'; /* for its newline */
}

static void write_copy(struct copying *copying)
{
	struct log_header *log = copying->log;
	struct log_stack_copy *copy = (struct log_stack_copy *)stack_log_claim(
		log, copying->fd, LOG_AREA_STACK_COPY, 0, sizeof(*copy) + (uint64_t)copying->nr_bytes,
		sizeof(*copy), 0);

	if (!copy) {
		log_lose(log, LOG_LOST_STACK_COPIES);
		return;
	}
	copy->begin_addr = copying->begin_addr;
	copy->tid = (uint32_t)copying->thread.tid;
	copy->reason = LOG_STACK_BESIDE;
	copy->flags = copying->flags;
	read_name(copying, copy);
	copy->known = copying->thread.registers.known;
	memcpy(copy->registers, copying->thread.registers.at, sizeof(copy->registers));
	memcpy(copy + 1, copying->bytes, (size_t)copying->nr_bytes);
	copy->head.used_bytes = sizeof(*copy) + (uint64_t)copying->nr_bytes;
	__atomic_store_n(&copy->ticks, clock_ticks(log->clock), __ATOMIC_RELEASE);
}

static void copy_thread(struct copying *copying, pid_t tid)
{
	bool is_whole = false;

	if (thread_open(&copying->thread, copying->target.pid, tid) < 0)
		return;
	for (int attempt = 0; attempt < ATTEMPTS && !is_whole; attempt++)
		is_whole = copy_now(copying);
	if (is_whole)
		write_copy(copying);
	else
		log_lose(copying->log, LOG_LOST_STACK_COPIES);
	thread_close(&copying->thread);
}

static void copy_threads(struct copying *copying)
{
	const pid_t but = (pid_t)copying->log->stacks_tid;
	struct dirent *entry;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)copying->target.pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && tid != but)
			copy_thread(copying, tid);
	}
	thread_go_on_late();
}

pid_t thread_copies_start(pid_t pid, struct log_header *log, int fd)
{
	static struct copying copying;
	pid_t own = fork();

	if (own)
		return own < 0 ? -errno : own;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "insideme-stacks");
	copying = (struct copying){ .target = { .pid = pid }, .log = log, .fd = fd };
	if (STACKS_ARE_POSSIBLE)
		copy_threads(&copying);
	__atomic_store_n(&log->stacks_wanted, LOG_STACKS_TAKEN, __ATOMIC_RELEASE);
	syscall(SYS_futex, &log->stacks_wanted, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	_exit(0);
}
