/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the ticks of a log to ns, by straight lines between the clock readings in the log. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"

struct timebase {
	struct log_clocks *points;	/* at least one; ticks and monotonic_ns rise */
	/* [i]: one tick between points i and i + 1; after the last point: tick_ns */
	double *tick_ns_from;
	size_t nr_points;
	double tick_ns;			/* one tick, mean over the whole log */
	size_t last;			/* the segment used last, as a hint */
	size_t nr_dropped;		/* readings that contradicted the others */
};

/*
 * @points: readings in any order, copied. Those that are not sound, or contradict most others, are dropped.
 * @clock: enum log_clock
 * Return: 0; -1 if the readings yield no tick rate (prints nothing)
 */
int timebase_init(struct timebase *base, uint32_t clock, const struct log_clocks *points, size_t nr_points);
void timebase_release(struct timebase *base);

/*
 * How far the monotonic clock of @reading is ahead of that of @other, which was read in another time
 * namespace. The ticks decide, because both share the processor's. 0: the clocks are the same.
 */
int64_t timebase_apart_ns(const struct log_clocks *reading, const struct log_clocks *other, double tick_ns);
/*
 * Convert @others, which insideme-run may have read in another time namespace, to the monotonic clock of
 * @own. @nr_own: at least 1.
 */
void timebase_join(struct log_clocks *own, size_t nr_own, struct log_clocks *others, size_t nr_others);

/* Ticks outside of the readings are extrapolated at the mean rate. */
int64_t timebase_monotonic_ns(struct timebase *base, uint64_t ticks);
uint64_t timebase_ticks(const struct timebase *base, int64_t monotonic_ns);
