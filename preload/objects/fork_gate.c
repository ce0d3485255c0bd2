/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moments and forks are counted; who comes second waits. */
#include "preload/objects/fork_gate.h"

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"

#define SLICE_NS	1000000		/* looks again: a wake-up may have been missed */
#define MOST_NS		1000000000u

static uint32_t nr_moments;		/* atomic, as the next three */
static uint32_t nr_waiting;		/* moments that wait for forks: forks of many threads without end let them go first */
static uint32_t nr_forks;
static int forker;			/* the last task that forks, 0: it has done so: a handler of its own must not wait for it */

/* Until @count is 0. Return: whether it is. */
static bool await_none(uint32_t *count)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + MOST_NS;
	uint32_t seen;

	while ((seen = __atomic_load_n(count, __ATOMIC_SEQ_CST))) {
		if (clock_ns(CLOCK_MONOTONIC) >= until)
			return false;
		sys_futex_wait(count, seen, SLICE_NS);
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

static bool is_forker(void)
{
	return __atomic_load_n(&forker, __ATOMIC_RELAXED) == (int)sys_gettid();
}

void moment_begin(void)
{
	__atomic_fetch_add(&nr_moments, 1, __ATOMIC_SEQ_CST);
	while (is_forking() && !is_forker()) {
		__atomic_fetch_add(&nr_waiting, 1, __ATOMIC_SEQ_CST);
		count_down(&nr_moments, true);
		if (!await_none(&nr_forks))
			__atomic_store_n(&nr_forks, 0, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&nr_moments, 1, __ATOMIC_SEQ_CST);
		count_down(&nr_waiting, true);
	}
}

void moment_end(void)
{
	count_down(&nr_moments, is_forking());
}

void fork_gate_before_fork(void)
{
	if (!(is_forking() && is_forker()) && !await_none(&nr_waiting))
		__atomic_store_n(&nr_waiting, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&forker, (int)sys_gettid(), __ATOMIC_RELAXED);
	__atomic_fetch_add(&nr_forks, 1, __ATOMIC_SEQ_CST);
	if (!await_none(&nr_moments))
		__atomic_store_n(&nr_moments, 0, __ATOMIC_SEQ_CST);
}

void fork_gate_in_parent(void)
{
	int own = (int)sys_gettid();

	/* Another that forked before us may be at it still: our next moment waits for it. */
	__atomic_compare_exchange_n(&forker, &own, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	count_down(&nr_forks, true);
}

/* Who counted is not here, but for a handler's fork within ours. */
void fork_gate_in_child(void)
{
	nr_moments = nr_waiting = nr_forks = 0;
}
