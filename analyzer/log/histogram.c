/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations of calls, counted by powers of two: sums and percentiles. */
#include "analyzer/log/histogram.h"

#include <math.h>

#define SAME_RATE 1e-3		/* estimates of one machine's tick rate differ by less than this */

/*
 * A bucket of another unit overlaps two of ours. Divide its calls between them as if they were spread
 * evenly.
 */
static void add_shifted(struct histogram *histogram, int i, uint64_t count, double ratio)
{
	double low = ldexp(ratio, i);
	int below = (int)floor(log2(low));
	double boundary = ldexp(1, below + 1);
	uint64_t to_below = (uint64_t)llround((double)count * (boundary - low) / low);

	if (below < 0)
		below = 0;
	if (below >= LOG_BUCKETS - 1) {
		histogram->counts[LOG_BUCKETS - 1] += count;
		return;
	}
	if (to_below > count)
		to_below = count;
	histogram->counts[below] += to_below;
	histogram->counts[below + 1] += count - to_below;
}

void histogram_add(struct histogram *histogram, const uint64_t counts[LOG_BUCKETS], double tick_ns)
{
	double ratio;

	if (histogram->unit_ns == 0)
		histogram->unit_ns = tick_ns;
	ratio = tick_ns / histogram->unit_ns;
	for (int i = 0; i < LOG_BUCKETS; i++) {
		if (!counts[i])
			continue;
		if (fabs(ratio - 1) < SAME_RATE)
			histogram->counts[i] += counts[i];
		else
			add_shifted(histogram, i, counts[i], ratio);
	}
}

uint64_t histogram_count(const struct histogram *histogram)
{
	uint64_t count = 0;

	for (int i = 0; i < LOG_BUCKETS; i++)
		count += histogram->counts[i];
	return count;
}

/* Bounds of bucket @i in ns. The last bucket has no upper bound (INFINITY). */
static double histogram_low_ns(const struct histogram *histogram, int i)
{
	return i == 0 ? 0 : ldexp(histogram->unit_ns, i);
}

static double histogram_high_ns(const struct histogram *histogram, int i)
{
	return i == LOG_BUCKETS - 1 ? INFINITY : ldexp(histogram->unit_ns, i + 1);
}

double histogram_percentile(const struct histogram *histogram, double percent, double min_ns, double max_ns,
			    double *least_ns)
{
	uint64_t count = histogram_count(histogram), before = 0;
	double wanted = percent / 100 * (double)count;
	int i = 0;

	*least_ns = NAN;
	if (count == 0)
		return NAN;
	while (i < LOG_BUCKETS - 1 && (double)(before + histogram->counts[i]) < wanted)
		before += histogram->counts[i++];
	*least_ns = fmin(fmax(histogram_low_ns(histogram, i), min_ns), max_ns);
	return fmax(fmin(histogram_high_ns(histogram, i), max_ns), *least_ns);
}
