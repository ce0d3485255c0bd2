/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/rank_interval.h"

#include <stdlib.h>

#include "analyzer/base/error.h"

#define TAIL	0.025		/* on each side */

/*
 * How many of all ratios lie outside of the interval on each side. U, the number of pairs whose value after
 * is less, has the distribution whose generating function is the Gaussian binomial (nr_before + nr_after over
 * nr_after).
 */
static size_t nr_outside(size_t nr_before, size_t nr_after)
{
	size_t most = nr_before * nr_after, nr = 0;
	double *ways = xcalloc(most + 1, sizeof(*ways)), all = 0, below = 0;

	ways[0] = 1;
	for (size_t i = 1; i <= nr_after; i++) {
		for (size_t u = most; u >= nr_before + i && u; u--)
			ways[u] -= ways[u - nr_before - i];
		for (size_t u = i; u <= most; u++)
			ways[u] += ways[u - i];
	}
	for (size_t u = 0; u <= most; u++)
		all += ways[u];
	while (nr < most && below + ways[nr] <= TAIL * all)
		below += ways[nr++];
	free(ways);
	return nr;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sizes are mostly the same from one call to the next. */
static size_t nr_outside_of(size_t nr_before, size_t nr_after)
{
	static size_t last_before, last_after, last;

	if (nr_before != last_before || nr_after != last_after)
		last = nr_outside(nr_before, nr_after);
	last_before = nr_before;
	last_after = nr_after;
	return last;
}

bool rank_interval(struct rank_interval *interval, const double *before, size_t nr_before,
		   const double *after, size_t nr_after)
{
	size_t nr = nr_before * nr_after, outside;
	double *ratios;

	if (nr_before < RANKS_LEAST || nr_after < RANKS_LEAST)
		return false;
	for (size_t i = 0; i < nr_before; i++)
		if (!(before[i] > 0))
			return false;
	for (size_t i = 0; i < nr_after; i++)
		if (!(after[i] > 0))
			return false;
	ratios = xcalloc(nr, sizeof(*ratios));
	for (size_t i = 0; i < nr; i++)
		ratios[i] = after[i % nr_after] / before[i / nr_after];
	qsort(ratios, nr, sizeof(*ratios), compare);
	outside = nr_outside_of(nr_before, nr_after);
	*interval = (struct rank_interval){
		(ratios[(nr - 1) / 2] + ratios[nr / 2]) / 2, ratios[outside - 1], ratios[nr - outside],
	};
	free(ratios);
	return true;
}
