/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for a time, as changes of a sum. */
#include "changes.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"

static void add(struct changes *changes, int64_t time, double by)
{
	changes->list = xgrow(changes->list, changes->nr, sizeof(*changes->list));
	changes->list[changes->nr++] = (struct change){ time, by };
}

void changes_add(struct changes *changes, int64_t from, int64_t to, double value)
{
	if (to <= from || !isfinite(value))
		return;
	add(changes, from, value);
	add(changes, to, -value);
}

void changes_release(struct changes *changes)
{
	free(changes->list);
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

void changes_sort(struct changes *changes)
{
	if (changes->nr)
		qsort(changes->list, changes->nr, sizeof(*changes->list), by_time);
}
