/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts moments and forks. A fork waits while a moment lasts, and the other way round. */
#include "preload/objects/fork_gate.h"

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"

#define SLICE_NS	1000000	/* a waiter looks again after this, since it may have missed a wake-up */
#define MOST_NS		1000000000u

static uint32_t nr_moments;		/* atomic, as are the next three */
/*
 * Moments that wait for forks. A new fork lets them go first; otherwise endless forks of many threads would
 * starve them
 */
static uint32_t nr_waiting;
static uint32_t nr_forks;
/*
 * The task that forked last; 0: its fork is over. A handler of that task must not wait for the
 * task's own fork
 */
static int forker;

/* Wait until @count is 0. Return: whether it is. */
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

/*
 * Count down, but not below 0: a waiter that gave up has set @count to 0. At 0, wake the waiters if
 * @is_awaited.
 */
static void count_down(uint32_t *count, bool is_awaited)
{
	uint32_t seen = __atomic_load_n(count, __ATOMIC_RELAXED);

	while (seen && !__atomic_compare_exchange_n(count, &seen, seen - 1, false, __ATOMIC_SEQ_CST,
						    __ATOMIC_RELAXED))
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

	/* A task that began to fork before us may not be done: our next moment waits for it. */
	__atomic_compare_exchange_n(&forker, &own, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	count_down(&nr_forks, true);
}

/* The tasks that were counted do not exist in the child, except when a handler forks during our fork. */
void fork_gate_in_child(void)
{
	nr_moments = nr_waiting = nr_forks = 0;
}
