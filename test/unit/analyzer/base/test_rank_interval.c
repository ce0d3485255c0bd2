/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base/rank_interval: compared with all orders in which two samples can come. */
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/rank_interval.h"
#include "test/unit/unit.h"

/*
 * Two samples of @nr of the same distribution: each choice of @nr of 2 @nr ranks is as likely. Return: the
 * part of all choices whose interval has no 1.
 */
static double part_without_one(unsigned int nr)
{
	unsigned int all = 0, without = 0;

	for (unsigned int choice = 0; choice < 1u << (2 * nr); choice++) {
		double before[8], after[8];
		size_t nr_before = 0, nr_after = 0;
		struct rank_interval interval;

		if ((unsigned int)__builtin_popcount(choice) != nr)
			continue;
		for (unsigned int rank = 0; rank < 2 * nr; rank++)
			if (choice & 1u << rank)
				after[nr_after++] = exp(rank);
			else
				before[nr_before++] = exp(rank);
		assert_true(rank_interval(&interval, before, nr_before, after, nr_after));
		assert_true(interval.low <= interval.ratio && interval.ratio <= interval.high);
		all++;
		without += interval.low > 1 || interval.high < 1;
	}
	return (double)without / all;
}

TEST(test_all_orders)
{
	/* as tables of the test of Mann and Whitney have it: U is at most 0, 2, 5 of 16, 25, 36 */
	assert_float_equal(part_without_one(4), 2.0 / 70, 1e-9);
	assert_float_equal(part_without_one(5), 8.0 / 252, 1e-9);
	assert_float_equal(part_without_one(6), 38.0 / 924, 1e-9);
}

TEST(test_estimate)
{
	const double before[] = { 1, 1, 1, 1 }, after[] = { 2, 3, 4, 5 };
	struct rank_interval interval;

	assert_true(rank_interval(&interval, before, 4, after, 4));
	assert_float_equal(interval.ratio, 3.5, 1e-9);
	assert_float_equal(interval.low, 2, 1e-9);
	assert_float_equal(interval.high, 5, 1e-9);
}

TEST(test_too_few)
{
	const double values[] = { 1, 2, 3, 4 }, zeros[] = { 1, 2, 0, 4 };
	struct rank_interval interval;

	assert_false(rank_interval(&interval, values, 3, values, 4));
	assert_false(rank_interval(&interval, values, 4, values, 3));
	assert_false(rank_interval(&interval, zeros, 4, values, 4));
}
