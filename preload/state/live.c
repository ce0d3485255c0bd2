/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state that everything else looks at. It depends on nothing else. */
#include "preload/state/live.h"

#include "preload/objects/next_functions.h"

#define OPENING_WAIT_NS	1000000		/* then look again: the task that was opening may be gone */

struct live live;
__thread struct log_thread *self TLS_INITIAL_EXEC;
__thread bool live_reads_clock TLS_INITIAL_EXEC;
bool live_is_private;
LARGE struct settings settings;
bool live_has_begun;
uint64_t live_early_calls;

bool (*live_opener)(void);
static int nr_filters;		/* atomic; incremented before each filter by the thread that installs it */

/* If a handler reads the clock too, the rest of this call counts as the program: some ns. */
uint64_t live_clock_ns(void)
{
	struct timespec now;

	live_reads_clock = true;
	signal_fence();
	libc.clock_gettime(CLOCK_MONOTONIC, &now);
	signal_fence();
	live_reads_clock = false;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void (*live_measure_late)(struct log_header *log);
void (*live_measure_again)(struct log_header *log);

void live_when_child(bool (*open)(void))
{
	live_opener = open;
}

bool live_open_child(void)
{
	return live_opener && !live_is_sealed() && live_opener();
}

bool live_claim_opening(enum live_opening state)
{
	while (!__atomic_load_n(&live.log, __ATOMIC_ACQUIRE)) {
		uint32_t seen = LIVE_NOBODY_OPENS;

		if (__atomic_compare_exchange_n(&live.opening, &seen, (uint32_t)state, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			if (!live.log)
				return true;
			live_end_opening();	/* by another task, just now */
		} else if (seen == LIVE_NEVER_OPENS) {
			return false;
		} else {
			sys_futex_wait(&live.opening, LIVE_OPENS, OPENING_WAIT_NS);
		}
	}
	return false;
}

void live_end_opening(void)
{
	__atomic_store_n(&live.opening, (uint32_t)LIVE_NOBODY_OPENS, __ATOMIC_RELEASE);
	raw_syscall(SYS_futex, (long)&live.opening, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

bool live_is_sealed(void)
{
	return __atomic_load_n(&nr_filters, __ATOMIC_RELAXED) > 0;
}

void live_seal(int filters)
{
	__atomic_fetch_add(&nr_filters, filters, __ATOMIC_SEQ_CST);
}

/* The time since the log began. Return: whether it is long enough for a rate. */
static bool since_start(uint64_t *ticks, uint64_t *ns)
{
	const struct log_clocks *start = &live.log->start;
	struct log_clocks now;

	clock_read_all(live.clock, &now);
	*ticks = now.ticks - start->ticks;
	*ns = now.monotonic_ns - start->monotonic_ns;
	return now.ticks > start->ticks && now.monotonic_ns > start->monotonic_ns;
}

void live_make_ns(uint64_t *durations, unsigned int nr)
{
	uint64_t all_ticks = 1, all_ns = 0;

	if (live.clock != LOG_CLOCK_TSC)
		return;
	if (!since_start(&all_ticks, &all_ns))
		all_ns = 0;
	for (unsigned int i = 0; i < nr; i++)
		durations[i] = all_ns ? (uint64_t)((unsigned __int128)durations[i] * all_ns / all_ticks) : 0;
}

uint64_t live_ns_of(uint64_t ticks)
{
	live_make_ns(&ticks, 1);
	return ticks;
}
