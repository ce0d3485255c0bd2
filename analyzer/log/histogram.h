/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Durations of calls, counted by powers of two. Bucket i holds [2^i, 2^(i+1)) units of unit_ns; the unit of
 * a log is one tick. Logs of one machine share a tick rate and add up exactly. A log with another rate is
 * converted to the unit of the histogram: each of its buckets is divided between the two that it overlaps.
 */
#pragma once

#include <stdint.h>

#include "insideme_log.h"

struct histogram {
	double unit_ns;			/* 0: the histogram is empty */
	uint64_t counts[LOG_BUCKETS];
};

/* Add @counts from a log whose tick lasts @tick_ns. */
void histogram_add(struct histogram *histogram, const uint64_t counts[LOG_BUCKETS], double tick_ns);
uint64_t histogram_count(const struct histogram *histogram);

/*
 * Bounds of the duration that @percent of the calls do not exceed: those of its bucket, limited to
 * [@min_ns, @max_ns], so they differ by a factor of two at most. Return: the upper one, NAN if nothing was
 * counted
 */
double histogram_percentile(const struct histogram *histogram, double percent, double min_ns, double max_ns,
			    double *least_ns);
