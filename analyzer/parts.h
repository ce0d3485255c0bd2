/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each of several runs that are read as one has of every function. */
#ifndef INSIDEME_PARTS_H
#define INSIDEME_PARTS_H

#include "model.h"

/* Begin with all 0. */
struct parts {
	struct run_part *before;	/* [node id]: what the runs before have */
	size_t nr_nodes;
};

#define PARTS_KNOWN UINT32_MAX

/* The nodes of run @run were added to the tree just now: what is more than before is its part. PARTS_KNOWN: of none. */
void parts_take(struct parts *parts, struct model *model, uint32_t run);
void parts_release(struct parts *parts);

/* Of calls, self or total time over all runs: a function that a run does not have has 0 there. */
struct part_range {
	double min, mean, max;
};
struct part_range parts_range(const struct function *function, size_t nr_runs, double (*value)(const struct run_part *));

/* The same of a call path. */
struct part_range parts_path_range(const struct model *model, const struct tree_node *node,
				   double (*value)(const struct run_part *));
/* Add what other runs have of a path. */
void parts_add_range(struct path_range *range, const struct path_range *more);

double part_calls(const struct run_part *part);
double part_self_ns(const struct run_part *part);
double part_total_ns(const struct run_part *part);

#endif
