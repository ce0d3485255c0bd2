/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways through the call tree without recursion, for a recursion may have been recorded that is very deep. */
#ifndef INSIDEME_TREE_WALK_H
#define INSIDEME_TREE_WALK_H

#include "analyzer/model/model.h"

#define TREE_CHUNK 256

/* The node of an id less than nr_tree_nodes. By id a walk goes through memory as it lies; callers come before what they call. */
static inline struct tree_node *tree_node(const struct model *model, size_t id)
{
	return &model->tree_chunks[id / TREE_CHUNK][id % TREE_CHUNK];
}

/* The node after @node, callers before what they call; NULL at the end. Begin with the root. */
static inline struct tree_node *tree_next(struct tree_node *node)
{
	if (node->child)
		return node->child;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

/*
 * A walk that says of each path whether one above it has the same key, as a function, an edge or a field. The total time of
 * a key is that of its outermost paths: a path below another one of the key adds nothing.
 */
struct tree_walk {
	struct tree_node *node;
	bool is_outermost;
	const uint32_t *keys;		/* [id of a path] */
	uint32_t *open;			/* [key] how many paths of it are above */
};
void tree_walk_begin(struct tree_walk *walk, const struct model *model, const uint32_t *keys, size_t nr_keys);
/* To the next path, callers before what they call, without the root. Return: false behind the last one */
bool tree_walk_next(struct tree_walk *walk);
/* The keys of functions, one for each path; to be freed. */
uint32_t *tree_function_keys(const struct model *model, size_t *nr_keys);

/* Is it "(counted calls)", or a function beneath, whose calls went by paths that are not known? No call path then. */
static inline bool tree_is_of_counters(const struct tree_node *node)
{
	return node->depth && (node->function->kind == FUNCTION_COUNTED ||
			       (node->depth == 2 && node->parent->function->kind == FUNCTION_COUNTED));
}

/* How many recorded calls are around one of @node. */
static inline uint32_t tree_level(const struct tree_node *node)
{
	return node->depth - 1;
}

/* Is @upper @node itself, or called on the way to it? */
static inline bool tree_is_above(const struct tree_node *upper, const struct tree_node *node)
{
	while (node && node != upper)
		node = node->parent;
	return node;
}

#endif
