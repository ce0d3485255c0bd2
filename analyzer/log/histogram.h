/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Durations of calls counted by powers of two. Bucket i holds [2^i, 2^(i+1)) units of unit_ns each; a log's
 * unit is one tick. Logs of one machine have one tick rate and add up exactly; a log with another rate is
 * brought to the unit that is there, its counts shared out over the two buckets each of its own overlaps.
 */
#ifndef INSIDEME_HISTOGRAM_H
#define INSIDEME_HISTOGRAM_H

#include <stdint.h>

#include "insideme_log.h"

struct histogram {
	double unit_ns;			/* 0: empty */
	uint64_t counts[LOG_BUCKETS];
};

/* Add @counts of a log whose tick lasts @tick_ns. */
void histogram_add(struct histogram *histogram, const uint64_t counts[LOG_BUCKETS], double tick_ns);
uint64_t histogram_count(const struct histogram *histogram);

/* Bounds of bucket @i in ns; the last one has no upper end (INFINITY). */
double histogram_low_ns(const struct histogram *histogram, int i);
double histogram_high_ns(const struct histogram *histogram, int i);

/*
 * The duration that @percent of the calls do not exceed, interpolated within its bucket as if durations were
 * spread evenly there, and never outside of [@min_ns, @max_ns]. So the true value lies in the same bucket: off
 * by less than a factor of two. NAN when nothing was counted.
 */
double histogram_percentile(const struct histogram *histogram, double percent, double min_ns, double max_ns);

#endif
