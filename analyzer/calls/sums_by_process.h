/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What each process has of each call path. The model adds processes up, so their counters are read once more. Saved
 * processes have none.
 */
#ifndef INSIDEME_SUMS_BY_PROCESS_H
#define INSIDEME_SUMS_BY_PROCESS_H

#include "analyzer/model/model.h"

struct process_sum {
	struct tree_node *path;		/* the root: only its heap, outside of all functions */
	struct call_stats stats;	/* calls, those open, timed and known, self, total and open time; what hooks cost taken out */
	struct heap_stats heap;
};

typedef void process_sums_visit(const struct process_sum *sum, void *context);

/* Call @visit for parts of what @process has, several times for a path. Return: what its hooks cost, in ns; 0: not known. */
double process_sums_each(struct process *process, process_sums_visit *visit, void *context);

#endif
