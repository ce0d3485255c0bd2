/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/log/histogram: percentiles from powers of two, and adding up logs of other tick rates. */
#include <math.h>
#include <stdlib.h>

#include "analyzer/log/histogram.h"
#include "test/unit/unit.h"

#define NR_CALLS 20000

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int bucket_of(double ticks)
{
	int bucket = 0;

	while (bucket < LOG_BUCKETS - 1 && ticks >= ldexp(1, bucket + 1))
		bucket++;
	return bucket;
}

/* Durations over six powers of ten, in a log whose tick lasts @tick_ns. */
static void fill(double *durations, struct histogram *histogram, double tick_ns)
{
	uint64_t counts[LOG_BUCKETS] = { 0 };

	for (int i = 0; i < NR_CALLS; i++) {
		durations[i] = floor(pow(10, 1 + 6 * drand48())) * tick_ns;
		counts[bucket_of(durations[i] / tick_ns)]++;
	}
	histogram_add(histogram, counts, tick_ns);
	qsort(durations, NR_CALLS, sizeof(*durations), by_value);
}

TEST(percentiles_are_within_a_factor_of_two_of_a_sorted_array)
{
	static const double percents[] = { 1, 10, 50, 90, 99, 99.9 };
	static double durations[NR_CALLS];
	struct histogram histogram = { 0 };

	srand48(1);
	fill(durations, &histogram, 0.4);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double exact = durations[(int)(percents[i] / 100 * NR_CALLS) - 1], least;
		double most = histogram_percentile(&histogram, percents[i], durations[0],
						   durations[NR_CALLS - 1], &least);

		assert_true(least <= exact && exact <= most && most <= 2 * least);
	}
}

TEST(percentiles_never_leave_the_extremes)
{
	uint64_t counts[LOG_BUCKETS] = { [10] = 5 };
	struct histogram histogram = { 0 };
	double least;

	histogram_add(&histogram, counts, 1);
	assert_true(histogram_percentile(&histogram, 99, 1500, 1500, &least) == 1500);
	assert_true(histogram_percentile(&histogram, 50, 1500, 1600, &least) == 1600);
	assert_true(least == 1500);
}

TEST(the_last_bucket_ends_at_the_longest_call)
{
	uint64_t counts[LOG_BUCKETS] = { [LOG_BUCKETS - 1] = 2 };
	struct histogram histogram = { 0 };
	double least;

	histogram_add(&histogram, counts, 1);
	assert_true(histogram_percentile(&histogram, 100, ldexp(1, 41), ldexp(1, 45), &least) ==
		    ldexp(1, 45));
}

TEST(nothing_counted_has_no_percentile)
{
	struct histogram histogram = { 0 };
	double least;

	assert_true(isnan(histogram_percentile(&histogram, 50, NAN, NAN, &least)));
}

TEST(logs_of_one_rate_add_up_exactly)
{
	uint64_t counts[LOG_BUCKETS] = { [3] = 7, [20] = 1 };
	struct histogram histogram = { 0 };

	histogram_add(&histogram, counts, 0.4);
	histogram_add(&histogram, counts, 0.40001);
	assert_int_equal(histogram.counts[3], 14);
	assert_int_equal(histogram.counts[20], 2);
	assert_int_equal(histogram_count(&histogram), 16);
}

/* Half of the calls from a machine whose tick is 2.7 times as long. */
TEST(logs_of_different_rates_keep_their_percentiles)
{
	static double durations[2 * NR_CALLS];
	struct histogram histogram = { 0 };

	srand48(2);
	fill(durations, &histogram, 0.4);
	fill(durations + NR_CALLS, &histogram, 1.08);
	qsort(durations, 2 * NR_CALLS, sizeof(*durations), by_value);
	assert_int_equal(histogram_count(&histogram), 2 * NR_CALLS);
	for (double percent = 5; percent < 100; percent += 5) {
		double exact = durations[(int)(percent / 100 * 2 * NR_CALLS)], least;
		double most = histogram_percentile(&histogram, percent, durations[0],
						   durations[2 * NR_CALLS - 1], &least);

		assert_true(most > exact / 2 && least < exact * 2);
	}
}
