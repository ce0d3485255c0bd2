/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged call tree: growing it, and what follows from it for each function. */
#ifndef INSIDEME_TREE_H
#define INSIDEME_TREE_H

#include "analyzer/model/functions.h"
#include "analyzer/model/model.h"

/* What the model keeps for itself while and after it is built. */
struct model_tables {
	struct function_tables functions;
	struct hashtable paths;		/* tree nodes by parent and function; empty once they are summed up */
	struct hashtable edge_parts;	/* parts.c's: by caller and function */
};

/* The child of @parent for @function, made when it is new. Before tree_sum_up(). */
struct tree_node *tree_child(struct model *model, struct tree_node *parent, struct function *function);

/* Make the root. */
void tree_init(struct model *model);
void tree_release(struct model *model);

/* Add calls to a path, as they were recorded. */
void tree_add_calls(struct tree_node *node, const struct call_stats *calls);
/*
 * The same, for calls of a log or a saved profile: if they are @left_out (selection.h), @node is the path that they stand for,
 * and the selection's sums get them too. @is_outermost: nothing was open around them when they were recorded.
 * Return: what time in functions becomes more by them.
 */
double tree_add_recorded(struct model *model, struct tree_node *node, const struct call_stats *calls, bool left_out,
			 bool is_outermost);
/* @thread came by. */
void tree_add_thread(struct tree_node *node, struct thread *thread);
/* Add to what a path has. */
void tree_add_heap(struct tree_node *node, const struct heap_stats *heap);
/* To be changed; room of its own for it is made. */
struct sample_stats *tree_samples(struct tree_node *node);
void tree_add_samples(struct tree_node *node, const struct sample_stats *samples);

/* The node "(other paths)" under the root: for calls whose path is not known. */
struct tree_node *tree_others(struct model *model);
/* The path under which calls of counted functions stand whose callers are not known. */
struct tree_node *tree_counted(struct model *model);

/* Sum up: the functions with their inclusive times, and the model's totals. Once, when all logs are in. */
void tree_sum_up(struct model *model);
/* Give callers the variances of what they call. Once, before counted_times_take(). */
void tree_add_variances(struct model *model);

/* Without what it called, see samples_read.h. */
void sample_stats_add(struct sample_stats *sum, const struct sample_stats *samples);
void heap_stats_add(struct heap_stats *sum, const struct heap_stats *heap);

#endif
