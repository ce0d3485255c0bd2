/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much larger one sample is than another, by ranks. The estimate is that of Hodges and Lehmann (1963):
 * the median of all ratios of a value after to a value before. The interval has the ratios that the test of
 * Mann and Whitney (1947) does not reject. It is exact, and needs no distribution of the values. Pure
 * functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define RANKS_LEAST	4	/* values on each side: with fewer no interval of 95 % is finite */

struct rank_interval {
	double ratio;		/* after / before */
	double low, high;	/* the true one is between them with at least 95 % */
};

/*
 * Return: false if there are fewer than RANKS_LEAST values on a side, or values that are not above 0.
 * @interval is then not set.
 */
bool rank_interval(struct rank_interval *interval, const double *before, size_t nr_before,
		   const double *after, size_t nr_after);
