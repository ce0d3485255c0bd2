/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each of several runs that are read as one has of every function, and of every pair of caller and function. */
#ifndef INSIDEME_RUN_PARTS_H
#define INSIDEME_RUN_PARTS_H

#include "analyzer/model/model.h"

/* Begin with all 0. */
struct parts {
	struct node_before *before;	/* [node id]: what the runs before have */
	size_t nr_nodes;
};

#define PARTS_KNOWN UINT32_MAX

/* The nodes of run @run were added to the tree just now: what is more than before is its part. PARTS_KNOWN: of none. */
void parts_take(struct parts *parts, struct model *model, uint32_t run);
void parts_release(struct parts *parts);

/* [model->nr_runs] of a pair of caller (NULL: nothing recorded) and function; NULL: none. */
const struct run_part *parts_of_edge(const struct model *model, const struct function *caller,
				     const struct function *function);
/* Add what other runs, from @first on, have of it. */
void parts_add_edge(struct model *model, const struct function *caller, const struct function *function,
		    const struct run_part *parts, uint32_t first, size_t nr);
/* The same of what they have of a heap; @parts: NULL: nothing is told. */
void parts_add_heap(const struct model *model, struct heap_part **sums, const struct heap_part *parts, uint32_t first, size_t nr);
void run_part_add(struct run_part *sum, const struct run_part *part);

/* Of calls, self or total time over all runs; @parts: as of a function, NULL: 0 in each. */
struct part_range {
	double min, mean, max;
};
struct part_range parts_range(const struct run_part *parts, size_t nr_runs, double (*value)(const struct run_part *));
struct part_range parts_heap_range(const struct heap_part *parts, size_t nr_runs, double (*value)(const struct heap_part *));

/* The same of a call path. */
struct part_range parts_path_range(const struct model *model, const struct tree_node *node,
				   double (*value)(const struct run_part *));
/* Add what other runs have of a path. */
void parts_add_range(struct path_range *range, const struct path_range *more);

double part_calls(const struct run_part *part);
double part_self_ns(const struct run_part *part);
double part_total_ns(const struct run_part *part);

#endif
