/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time less CPU time, now and up to a ms before a call. What passed without a sleep the thread spent waiting for a processor. */
#include "preempted.h"

#include <sys/resource.h>

#include "live.h"
#include "syscalls.h"

#define PACE_US		1024u	/* looks take 0.1 % of the time */
#define LEAST_NS	4000	/* to another task and back */
#define APART_SHIFT	10	/* the clocks are adjusted apart, by less than this part */

/* A host that takes the processor from a guest is seen where it tells the guest's kernel. */
static void look(struct log_thread *thread)
{
	uint64_t ticks = now_ticks(), waited_ns = live_clock_ns() - clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t apart_ns = (ticks - thread->looked_ticks) >> APART_SHIFT;
	int64_t passed_ns = (int64_t)(waited_ns - thread->waited_ns);
	struct rusage usage;

	if (raw_syscall(SYS_getrusage, RUSAGE_THREAD, (long)&usage, 0, 0, 0, 0) < 0)
		return;
	if (passed_ns > LEAST_NS + (int64_t)apart_ns && (uint32_t)usage.ru_nvcsw == thread->nr_sleeps)
		thread->preempted_ticks = ticks;
	thread->looked_ticks = ticks;
	thread->waited_ns = waited_ns;
	thread->nr_sleeps = (uint32_t)usage.ru_nvcsw;
}

void preempted_begin(struct log_thread *thread)
{
	if (thread->last_ticks - thread->looked_ticks >= live.log->threshold_floor_ticks * PACE_US && !live_is_sealed())
		look(thread);
}

bool preempted_since(struct log_thread *thread, uint64_t since_ticks)
{
	if (!live_is_sealed())
		look(thread);
	return thread->preempted_ticks >= since_ticks;
}
