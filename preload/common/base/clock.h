/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log's clock: the processor's time-stamp counter where the kernel trusts it, otherwise
 * CLOCK_MONOTONIC.
 */
#pragma once

#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/base/compiler.h"
#include "preload/common/base/syscalls.h"

#if defined(__x86_64__)
#define CLOCK_MAY_BE_UNTRUSTED 1	/* the counter may stop, drift or trap: ask the kernel */
static ALWAYS_INLINE uint64_t clock_counter(void)
{
	return __builtin_ia32_rdtsc();
}
#else
#define CLOCK_MAY_BE_UNTRUSTED 0
static ALWAYS_INLINE uint64_t clock_counter(void)
{
	uint64_t counter;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(counter));
	return counter;
}
#endif

static ALWAYS_INLINE uint64_t clock_ns(int clock)
{
	struct timespec now;

	sys_clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Now, in the ticks of a log whose header has @clock (enum log_clock). May be called from anywhere. */
static ALWAYS_INLINE uint64_t clock_ticks(uint32_t clock)
{
	return likely(clock == LOG_CLOCK_TSC) ? clock_counter() : clock_ns(CLOCK_MONOTONIC);
}

/*
 * The ticks of a log whose header has @clock when CLOCK_MONOTONIC was @when_ns, which is before
 * @now. Uses the mean rate since @start; over the few ms that a reading lies back, the error is
 * some ns.
 */
static inline uint64_t clock_ticks_at(uint32_t clock, const struct log_clocks *start,
				      const struct log_clocks *now, uint64_t when_ns)
{
	uint64_t passed_ns = now->monotonic_ns - start->monotonic_ns;

	if (clock != LOG_CLOCK_TSC)
		return when_ns;
	if (!passed_ns)
		return now->ticks;
	return now->ticks - (uint64_t)((unsigned __int128)(now->monotonic_ns - when_ns) *
				       (now->ticks - start->ticks) / passed_ns);
}

/* Read all clocks at one instant, to within the time of a system call. */
static inline void clock_read_all(uint32_t clock, struct log_clocks *clocks)
{
	uint64_t before = clock_ticks(clock);

	clocks->monotonic_ns = clock_ns(CLOCK_MONOTONIC);
	clocks->ticks =
		clock == LOG_CLOCK_TSC ? before + (clock_ticks(clock) - before) / 2 : clocks->monotonic_ns;
	clocks->realtime_ns = clock_ns(CLOCK_REALTIME);
}
