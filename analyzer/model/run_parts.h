/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The share of each of several runs in every function, and in every pair of caller and callee. */
#pragma once

#include "analyzer/model/model.h"

/* Begin with all 0. */
struct parts {
	struct node_before *before;	/* [model->nr_ranges], by node: sums of the earlier runs */
};

#define PARTS_KNOWN UINT32_MAX

/*
 * The nodes of run @run were just added to the tree: its share is the difference to the sums before.
 * PARTS_KNOWN: the shares are known otherwise.
 */
void parts_take(struct parts *parts, struct model *model, uint32_t run);
void parts_release(struct parts *parts);

/* The shares [model->nr_runs] of a pair of caller (NULL: nothing recorded) and callee. NULL: none. */
const struct run_part *parts_of_edge(const struct model *model, const struct function *caller,
				     const struct function *function);
/* Add the shares of @nr runs, beginning with run @first. */
void parts_add_edge(struct model *model, const struct function *caller, const struct function *function,
		    const struct run_part *parts, uint32_t first, size_t nr);
/* The same for the heap. @parts: NULL: not known */
void parts_add_heap(const struct model *model, struct heap_part **sums, const struct heap_part *parts,
		    uint32_t first, size_t nr);
/* Add a struct run_part or heap_part. */
void part_add(void *sum, const void *part, size_t bytes);
/* Add self CPU time of @run. */
void parts_add_cpu(const struct model *model, struct function *function, uint32_t run, double cpu_ns);
/* Times of @run, after run_times_read(). NAN: not known */
double part_self_ns(const struct function *function, uint32_t run);
double part_total_ns(const struct function *function, uint32_t run);
double part_cpu_ns(const struct function *function, uint32_t run);

/* The least and the most that a run has of a call path. nr_runs is 0 for one run, and for counted calls. */
struct path_range parts_of_path(const struct model *model, const struct tree_node *node);

/*
 * The range of a number over all runs. @parts: [nr_runs] of @bytes each; NULL: 0 in each run. @which: the
 * place of the number in such a part, from 0 on
 */
struct part_range {
	double min, mean, max;
};
struct part_range parts_range(const void *parts, size_t bytes, size_t which, size_t nr_runs);
/* The same for a call path. @which: of struct run_part; there are several runs */
struct part_range parts_path_range(const struct model *model, const struct tree_node *node, size_t which);
/* Add the range of other runs. */
void parts_add_range(struct path_range *range, const struct path_range *more);
