/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a log's ticks to ns: straight lines between the clock readings that the log holds. */
#ifndef INSIDEME_TIMEBASE_H
#define INSIDEME_TIMEBASE_H

#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"

struct timebase {
	struct log_clocks *points;	/* at least one; ticks and monotonic_ns rise */
	double *tick_ns_from;		/* [i]: one tick between points i and i + 1; behind the last tick_ns */
	size_t nr_points;
	double tick_ns;			/* one tick, mean over the whole log */
	size_t last;			/* the segment used last: a hint, no more */
	size_t nr_dropped;		/* readings that contradicted the others */
};

/*
 * @points: readings in any order, copied; those that are not sound or contradict most others are dropped.
 * @clock: enum log_clock. Return: 0, or -1 when no tick rate can be had from them (nothing is printed).
 */
int timebase_init(struct timebase *base, uint32_t clock, const struct log_clocks *points, size_t nr_points);
void timebase_release(struct timebase *base);

/*
 * How far the monotonic clock of @reading is before that of @other, which is of another time namespace: as ticks, which are
 * those of the processor, say. 0: it is the same.
 */
int64_t timebase_apart_ns(const struct log_clocks *reading, const struct log_clocks *other, double tick_ns);
/* Set the monotonic clock of @others, which insideme-run may have read in another time namespace, to that of @own, one at least. */
void timebase_join(struct log_clocks *own, size_t nr_own, struct log_clocks *others, size_t nr_others);

/* Ticks outside of the readings are extrapolated with the mean rate. */
int64_t timebase_monotonic_ns(struct timebase *base, uint64_t ticks);
int64_t timebase_realtime_ns(struct timebase *base, uint64_t ticks);
uint64_t timebase_ticks(const struct timebase *base, int64_t monotonic_ns);

#endif
