/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged call tree: adding to it, and summing it up by function. */
#pragma once

#include "analyzer/model/functions.h"
#include "analyzer/model/model.h"

/* Tables for building the model. */
struct model_tables {
	struct function_tables functions;
	struct hashtable paths;		/* tree nodes by parent and function; emptied by tree_sum_up() */
	struct hashtable edge_parts;	/* of run_parts.c: by caller and callee */
};

/* The child of @parent for @function. Made if it is new. Before tree_sum_up(). */
struct tree_node *tree_child(struct model *model, struct tree_node *parent, struct function *function);

/*
 * A thread's part of a parallel region that another thread began at @starter. It stands below the root, where
 * its time belongs, until all sums are made: no path above it has that time.
 */
struct tree_node *tree_team(struct model *model, struct tree_node *starter, struct function *function);
/*
 * Hang them below what began them, for whoever shows paths. Sums that go up the tree after that must stop at
 * a path with a starter. Once, last of all.
 */
void tree_hang_teams(struct model *model);

/* Make the root. */
void tree_init(struct model *model);
void tree_release(struct model *model);

/* Recorded self time of calls, and the cost of hooks in it. */
struct function_time {
	double recorded_ns;
	double hooks_ns;
};

/* Add recorded calls to a path. */
void tree_add_calls(struct tree_node *node, const struct call_stats *calls);
/*
 * The same for calls of a log or a saved profile. @left_out: a selection (selection.h) leaves them out; then
 * @node is the path that they are counted for, and the selection's sums grow. @is_outermost: nothing was open
 * around them. Return: the time that they add to the time in functions
 */
struct function_time tree_add_recorded(struct model *model, struct tree_node *node,
				       const struct call_stats *calls, bool left_out, bool is_outermost);
/* Count @thread as one that took the path. */
void tree_add_thread(struct tree_node *node, struct thread *thread);
/* Add to the heap of a path. */
void tree_add_heap(struct tree_node *node, const struct heap_stats *heap);
/* The samples of a path, to be changed. Allocated if it has none. */
struct sample_stats *tree_samples(struct tree_node *node);
void tree_add_samples(struct tree_node *node, const struct sample_stats *samples);

/* The node "(other paths)" below the root: for calls whose path is not known. */
struct tree_node *tree_others(struct model *model);
/*
 * [id]: is the path in a parallel region of OpenMP, in the thread that began it? Other threads of that region
 * stand below the caller of its body, too, and call the same body. NULL: there are no regions. To be freed
 */
bool *tree_in_regions(const struct model *model);
/* The path above calls of counted functions whose callers are not known. */
struct tree_node *tree_counted(struct model *model);

/* Sum up functions with inclusive times, and the model. Once, after all logs were read. */
void tree_sum_up(struct model *model);
/* Add the variances of paths to their callers. Once, before counted_times_take(). */
void tree_add_variances(struct model *model);

/* Add all but what has the samples of callees, see samples_read.h. */
void sample_stats_add(struct sample_stats *sum, const struct sample_stats *samples);
void heap_stats_add(struct heap_stats *sum, const struct heap_stats *heap);
