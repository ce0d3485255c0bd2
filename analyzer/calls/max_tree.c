/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A binary tree of maxima in an array. */
#include "analyzer/calls/max_tree.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"

/* As fmax(), which is no instruction. */
static inline double larger(double a, double b)
{
	return a > b || isnan(b) ? a : b;
}

void peaks_init(struct peaks *peaks, struct process *process, const char *set, const char *column)
{
	const struct rowset *rows = process_rowset(process, set);
	int place = rows ? rowset_column(rows, column) : -1;

	*peaks = (struct peaks){ .nr = 0 };
	if (place < 0 || !rows->nr_rows)
		return;
	peaks->times = xcalloc(rows->nr_rows, sizeof(*peaks->times));
	peaks->tree = xcalloc(2 * rows->nr_rows, sizeof(*peaks->tree));
	peaks->nr = rows->nr_rows;
	for (size_t i = 0; i < peaks->nr; i++) {
		uint64_t value = rowset_value(rows, i, (uint32_t)place);

		peaks->times[i] = row_time(process, rows, i);
		peaks->tree[peaks->nr + i] = value == LOG_NONE ? NAN : (double)(int64_t)value;
	}
	for (size_t i = peaks->nr; i-- > 1;)
		peaks->tree[i] = larger(peaks->tree[2 * i], peaks->tree[2 * i + 1]);
}

void peaks_release(struct peaks *peaks)
{
	free(peaks->times);
	free(peaks->tree);
	*peaks = (struct peaks){ .nr = 0 };
}

/* The number of readings at or before @time. */
static size_t count_until(struct peaks *peaks, int64_t time)
{
	size_t place = peaks->place;

	if ((place > 0 && peaks->times[place - 1] > time) ||
	    (place < peaks->nr && peaks->times[place] <= time))
		peaks->place = PARTITION_POINT(i, peaks->nr, peaks->times[i] <= time);
	return peaks->place;
}

double peaks_between(struct peaks *peaks, int64_t from, int64_t to)
{
	size_t low = count_until(peaks, from - 1), high = count_until(peaks, to) + peaks->nr;
	double most = NAN;

	for (low += peaks->nr; low < high; low /= 2, high /= 2) {
		if (low & 1)
			most = larger(most, peaks->tree[low++]);
		if (high & 1)
			most = larger(most, peaks->tree[--high]);
	}
	return most;
}
