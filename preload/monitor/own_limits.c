/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scheduling and limits of insideme-run itself. */
#include "preload/monitor/own_limits.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TURN_NS		100000		/* the kernel's minimum */
#define RESET_ON_FORK	1		/* SCHED_FLAG_RESET_ON_FORK */

void needs_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/*
 * Ask for short turns on a CPU, which come sooner. Under load a process could otherwise end and be reaped
 * before we know of it. Kernels that do not know slices ignore this; children get the usual one.
 */
void needs_short_turns(void)
{
	struct {
		uint32_t size;
		uint32_t policy;	/* 0: SCHED_OTHER */
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime_ns;
		uint64_t deadline_ns;
		uint64_t period_ns;
	} schedule = { .size = sizeof(schedule) };

	if (syscall(SYS_sched_getattr, 0, &schedule, sizeof(schedule), 0) < 0 ||
	    schedule.policy != SCHED_OTHER)
		return;
	schedule.flags = RESET_ON_FORK;
	schedule.runtime_ns = TURN_NS;
	syscall(SYS_sched_setattr, 0, &schedule, 0);
}
