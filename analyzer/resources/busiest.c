/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes by what they used. */
#include "analyzer/resources/busiest.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/resources/series.h"

struct candidate {
	struct process *process;
	size_t order;
	double used;	/* -1: not known */
};

static double used(const struct process *process, const char *name)
{
	const struct rowset *rows = process_rowset(process, "process");
	int column = rows ? rowset_column(rows, name) : -1;
	double least = INFINITY, most = -1;

	for (size_t i = 0; column >= 0 && i < rows->nr_rows; i++) {
		uint64_t value = rowset_value(rows, i, (uint32_t)column);

		if (value == LOG_NONE)
			continue;
		least = fmin(least, series_value(&rows->columns[column], value));
		most = fmax(most, series_value(&rows->columns[column], value));
	}
	return most >= 0 && rows->columns[column].kind == LOG_CUMULATIVE ? most - least : most;
}

static int most_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->used != y->used)
		return x->used < y->used ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

size_t busiest_processes(const struct model *model, const char *column, struct process **busiest, size_t max)
{
	struct candidate *candidates = xcalloc(model->nr_processes + 1, sizeof(*candidates));
	size_t nr = 0;

	for (; nr < model->nr_processes; nr++)
		candidates[nr] = (struct candidate){ model->processes[nr], nr, used(model->processes[nr], column) };
	qsort(candidates, nr, sizeof(*candidates), most_first);
	if (nr > max)
		nr = max;
	for (size_t i = 0; i < nr; i++)
		busiest[i] = candidates[i].process;
	free(candidates);
	return nr;
}
