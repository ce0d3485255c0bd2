/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/log/timebase: ticks to ns, and which readings of the clocks to believe. */
#include <stdlib.h>

#include "analyzer/log/timebase.h"
#include "test/unit/unit.h"

#define NR_POINTS	100
#define SECOND_TICKS	2600000000ull
#define SECOND_NS	1000000000ull

/* A reading each second of a clock of 2.6 GHz. */
static void fill(struct log_clocks *points)
{
	for (uint64_t i = 0; i < NR_POINTS; i++)
		points[i] = (struct log_clocks){ 5000 + i * SECOND_TICKS, 777 + i * SECOND_NS,
						 (1ull << 60) + i * SECOND_NS };
}

TEST(between_readings_time_is_a_straight_line)
{
	struct log_clocks points[NR_POINTS];
	struct timebase base;

	fill(points);
	points[50].monotonic_ns += 1000000;	/* the machine's clock is being corrected */
	assert_int_equal(timebase_init(&base, LOG_CLOCK_TSC, points, NR_POINTS), 0);
	assert_int_equal(base.nr_points, NR_POINTS);
	assert_int_equal(timebase_monotonic_ns(&base, 5000), 777);
	assert_int_equal(timebase_monotonic_ns(&base, 5000 + 10 * SECOND_TICKS), 777 + 10 * SECOND_NS);
	assert_int_equal(timebase_monotonic_ns(&base, 5000 + 21 * SECOND_TICKS / 2),
			 777 + 21 * SECOND_NS / 2);
	assert_int_equal(timebase_monotonic_ns(&base, 5000 + 50 * SECOND_TICKS),
			 777 + 50 * SECOND_NS + 1000000);
	assert_int_equal(timebase_monotonic_ns(&base, 5000 + 99 * SECOND_TICKS / 2),
			 777 + 99 * SECOND_NS / 2 + 500000);
	timebase_release(&base);
}

TEST(outside_of_the_readings_the_mean_rate_goes_on)
{
	struct log_clocks points[NR_POINTS];
	struct timebase base;

	fill(points);
	assert_int_equal(timebase_init(&base, LOG_CLOCK_TSC, points, NR_POINTS), 0);
	assert_int_equal(timebase_monotonic_ns(&base, 5000 + 109 * SECOND_TICKS), 777 + 109 * SECOND_NS);
	assert_int_equal(timebase_ticks(&base, 777 + 109 * SECOND_NS), 5000 + 109 * SECOND_TICKS);
	assert_int_equal(timebase_monotonic_ns(&base, 2400), 777 - 1000);
	timebase_release(&base);
}

TEST(a_damaged_reading_costs_only_itself)
{
	struct log_clocks points[NR_POINTS];
	struct timebase base;

	for (int bit = 0; bit < 64; bit++) {
		for (int word = 0; word < 2; word++) {
			fill(points);
			*(word ? &points[30].ticks : &points[30].monotonic_ns) ^= 1ull << bit;
			assert_int_equal(timebase_init(&base, LOG_CLOCK_TSC, points, NR_POINTS), 0);
			assert_true(base.nr_points >= NR_POINTS - 1);
			assert_in_range(timebase_monotonic_ns(&base, 5000 + 80 * SECOND_TICKS),
					777 + 80 * SECOND_NS - 1, 777 + 80 * SECOND_NS + 1);
			timebase_release(&base);
		}
	}
}

TEST(a_damaged_start_is_seen_by_the_others)
{
	struct log_clocks points[NR_POINTS];
	struct timebase base;

	fill(points);
	points[0].ticks ^= 1ull << 50;
	assert_int_equal(timebase_init(&base, LOG_CLOCK_TSC, points, NR_POINTS), 0);
	assert_int_equal(base.nr_points, NR_POINTS - 1);
	assert_int_equal(base.nr_dropped, 1);
	assert_int_equal(base.points[0].ticks, 5000 + SECOND_TICKS);
	timebase_release(&base);
}

TEST(one_reading_gives_no_rate)
{
	struct log_clocks point = { 5000, 777, 1 }, same[] = { { 5000, 777, 1 }, { 5000, 777, 1 } };
	struct timebase base;

	assert_int_equal(timebase_init(&base, LOG_CLOCK_TSC, &point, 1), -1);
	assert_int_equal(timebase_init(&base, LOG_CLOCK_TSC, same, 2), -1);
	assert_int_equal(timebase_init(&base, LOG_CLOCK_TSC, &point, 0), -1);
}

TEST(monotonic_ticks_are_ns)
{
	struct log_clocks point = { 5000, 5000, 1 };
	struct timebase base;

	assert_int_equal(timebase_init(&base, LOG_CLOCK_MONOTONIC, &point, 1), 0);
	assert_true(base.tick_ns == 1);
	assert_int_equal(timebase_monotonic_ns(&base, 123456789), 123456789);
	timebase_release(&base);
}

TEST(nonsense_does_not_overflow)
{
	struct log_clocks points[] = { { 1, 1, UINT64_MAX }, { UINT64_MAX / 2, UINT64_MAX / 2 - 5, 5 } };
	struct timebase base;

	assert_int_equal(timebase_init(&base, LOG_CLOCK_TSC, points, 2), 0);
	for (int bit = 0; bit < 64; bit++) {
		timebase_monotonic_ns(&base, 1ull << bit);
		timebase_ticks(&base, (int64_t)(1ull << bit));
	}
	timebase_release(&base);
}
