/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks through the call tree. A recorded recursion may be very deep, so they do not recurse. */
#pragma once

#include "analyzer/model/model.h"

#define TREE_CHUNK 256

/*
 * The node with @id, below nr_tree_nodes. Walking by id is in the order of memory; callers come before their
 * callees.
 */
static inline struct tree_node *tree_node(const struct model *model, size_t id)
{
	return &model->tree_chunks[id / TREE_CHUNK][id % TREE_CHUNK];
}

/* The node after @node, callers before callees; NULL at the end. Begin with the root. */
static inline struct tree_node *tree_next(struct tree_node *node)
{
	if (node->child)
		return node->child;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

/*
 * A walk that knows for each path whether a path above it has the same key: a function, an edge or a field.
 * The total time of a key is the sum over its outermost paths.
 */
struct tree_walk {
	struct tree_node *node;
	bool is_outermost;
	const uint32_t *keys;		/* [id of a path] */
	uint32_t *open;			/* [key]: how many paths above have it */
};
void tree_walk_begin(struct tree_walk *walk, const struct model *model, const uint32_t *keys, size_t nr_keys);
/* Go to the next path, callers before callees, without the root. Return: false at the end */
bool tree_walk_next(struct tree_walk *walk);
/* Keys for functions: one for each path. To be freed. */
uint32_t *tree_function_keys(const struct model *model, size_t *nr_keys);
/* [id of a path]: is a call of it within no other call of its function? True for the root. To be freed. */
bool *tree_find_outermost(const struct model *model);

/*
 * Is it "(counted calls)", or a function below it, whose callers are not known? Neither is a real call path.
 */
static inline bool tree_is_of_counters(const struct tree_node *node)
{
	return node->depth && (node->function->kind == FUNCTION_COUNTED ||
			       (node->depth == 2 && node->parent->function->kind == FUNCTION_COUNTED));
}

/* How many recorded calls of its thread are around a call of @node. */
static inline uint32_t tree_level(const struct tree_node *node)
{
	return node->depth - node->starter_depth - 1;
}

/* Is @upper equal to @node, or above it? */
static inline bool tree_is_above(const struct tree_node *upper, const struct tree_node *node)
{
	while (node && node != upper)
		node = node->parent;
	return node;
}

/* Is a call of the path within another call of its function, in the same thread? */
static inline bool tree_is_recursion(const struct tree_node *node)
{
	for (const struct tree_node *above = node; above->parent && !above->starter;) {
		above = above->parent;
		if (above->function == node->function)
			return true;
	}
	return false;
}

