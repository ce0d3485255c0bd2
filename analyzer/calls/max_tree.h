/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The largest value of a gauge between any two times, in time that grows with the logarithm of the number of
 * values.
 */
#pragma once

#include "analyzer/model/model.h"

struct peaks {
	int64_t *times;			/* model time, rising */
	double *tree;			/* [nr + i]: value i; [i]: the larger of [2i] and [2i + 1] */
	size_t nr;
	size_t place;			/* where the last time lay: most are near it */
};

/* Values of @column in the process's set @set; none if there is no such column. */
void peaks_init(struct peaks *peaks, struct process *process, const char *set, const char *column);
void peaks_release(struct peaks *peaks);

/* The largest of those read from @from until @to. NAN: none. */
double peaks_between(struct peaks *peaks, int64_t from, int64_t to);
