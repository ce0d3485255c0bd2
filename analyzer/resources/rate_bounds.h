/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the rate of a counter cannot be above. The kernel counts some CPU times in steps of its tick, and two files are not read
 * at one instant: over a short time a counter may rise by more than there is.
 */
#ifndef INSIDEME_RATE_BOUNDS_H
#define INSIDEME_RATE_BOUNDS_H

#include "analyzer/model/model.h"

struct rate_bounds {
	const struct rowset *rows;
	int whole;		/* the column that this one is a part of; < 0: none */
	double most;		/* in cores or percent; NAN: not known */
};

void rate_bounds_find(struct rate_bounds *bounds, struct process *process, const struct rowset *rows, uint32_t column);

/* @rate in its column's unit from row @from to row @to, @passed_ns later; or what it can be at most. */
double rate_bounded(const struct rate_bounds *bounds, size_t from, size_t to, int64_t passed_ns, double rate);

/* Of its machine; NAN: not known. */
double rate_nr_processors(struct process *process);
/* What the rates of all processes together are at most, in cores; NAN: not known. */
double rate_most_of_all(struct process *process, const struct rowset *rows, uint32_t column);

#endif
