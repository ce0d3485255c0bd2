/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Straight lines between points. */
#include "analyzer/base/polyline.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

void curve_init(struct curve *curve, size_t nr_numbers)
{
	*curve = (struct curve){ .nr_numbers = nr_numbers };
}

void curve_release(struct curve *curve)
{
	free(curve->times);
	free(curve->numbers);
}

void curve_add(struct curve *curve, int64_t time, const double *numbers)
{
	size_t bytes = curve->nr_numbers * sizeof(*numbers);

	if (curve->nr && time <= curve->times[curve->nr - 1])
		return;
	curve->times = xgrow(curve->times, curve->nr, sizeof(*curve->times));
	curve->numbers = xgrow(curve->numbers, curve->nr, bytes);
	curve->times[curve->nr] = time;
	memcpy(curve->numbers + curve->nr++ * curve->nr_numbers, numbers, bytes);
}

void curve_at(const struct curve *curve, int64_t time, double *numbers)
{
	size_t low = 0, high = curve->nr;	/* the point at or before, and one behind it */
	const double *here;
	double share;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (curve->times[middle] <= time)
			low = middle;
		else
			high = middle;
	}
	here = curve->numbers + low * curve->nr_numbers;
	if (time <= curve->times[low] || low + 1 == curve->nr) {
		memcpy(numbers, here, curve->nr_numbers * sizeof(*numbers));
		return;
	}
	share = (double)(time - curve->times[low]) / (double)(curve->times[low + 1] - curve->times[low]);
	for (size_t i = 0; i < curve->nr_numbers; i++)
		numbers[i] = here[i] + share * (here[i + curve->nr_numbers] - here[i]);
}
