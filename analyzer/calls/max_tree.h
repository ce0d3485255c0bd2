/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The highest reading of a gauge between any two times, in steps that grow with the logarithm of their number. */
#ifndef INSIDEME_MAX_TREE_H
#define INSIDEME_MAX_TREE_H

#include "analyzer/model/model.h"

struct peaks {
	int64_t *times;			/* model time, rising */
	double *tree;			/* [nr + i]: reading i; [i]: the highest of [2i] and [2i + 1] */
	size_t nr;
};

/* Of @column of the process's set @set; of no such one there are no readings. */
void peaks_init(struct peaks *peaks, struct process *process, const char *set, const char *column);
void peaks_release(struct peaks *peaks);

/* As last read before @from, or as read until @to. NAN: it was not. */
double peaks_between(const struct peaks *peaks, int64_t from, int64_t to);

#endif
