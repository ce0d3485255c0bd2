/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moments and forks are counted; who comes second waits. */
#include "moments.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "syscalls.h"

#define SLICE_NS	1000000		/* looks again: a wake-up may have been missed */
#define MOST_NS		1000000000u

static uint32_t nr_moments;		/* atomic, as the next two */
static uint32_t nr_forks;
static int forker;			/* the last task that forked: a handler of its own must not wait for it */

/* Until @count is 0. Return: whether it is. */
static bool await_none(uint32_t *count)
{
	const struct timespec slice = { .tv_nsec = SLICE_NS };
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + MOST_NS;
	uint32_t seen;

	while ((seen = __atomic_load_n(count, __ATOMIC_SEQ_CST))) {
		if (clock_ns(CLOCK_MONOTONIC) >= until)
			return false;
		raw_syscall(SYS_futex, (long)count, FUTEX_WAIT, seen, (long)&slice, 0, 0);
	}
	return true;
}

/* Not below 0: who waited in vain has set it to 0. Who waits for @count is woken where there is one. */
static void count_down(uint32_t *count, bool is_awaited)
{
	uint32_t seen = __atomic_load_n(count, __ATOMIC_RELAXED);

	while (seen && !__atomic_compare_exchange_n(count, &seen, seen - 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	if (seen == 1 && is_awaited)
		raw_syscall(SYS_futex, (long)count, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

static bool is_forking(void)
{
	return __atomic_load_n(&nr_forks, __ATOMIC_SEQ_CST);
}

void moment_begin(void)
{
	__atomic_fetch_add(&nr_moments, 1, __ATOMIC_SEQ_CST);
	while (is_forking() && __atomic_load_n(&forker, __ATOMIC_RELAXED) != (int)sys_gettid()) {
		count_down(&nr_moments, true);
		if (!await_none(&nr_forks))
			__atomic_store_n(&nr_forks, 0, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&nr_moments, 1, __ATOMIC_SEQ_CST);
	}
}

void moment_end(void)
{
	count_down(&nr_moments, is_forking());
}

void moments_before_fork(void)
{
	__atomic_store_n(&forker, (int)sys_gettid(), __ATOMIC_RELAXED);
	__atomic_fetch_add(&nr_forks, 1, __ATOMIC_SEQ_CST);
	if (!await_none(&nr_moments))
		__atomic_store_n(&nr_moments, 0, __ATOMIC_SEQ_CST);
}

void moments_in_parent(void)
{
	count_down(&nr_forks, true);
}

/* Who counted is not here, but for a handler's fork within ours. */
void moments_in_child(void)
{
	nr_moments = nr_forks = 0;
}
