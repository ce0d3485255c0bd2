/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walking the call tree without recursion, for a recursion may have been recorded that is very deep. */
#ifndef INSIDEME_WALK_H
#define INSIDEME_WALK_H

#include "model.h"

/* The node after @node, callers before what they call; NULL at the end. Begin with the root. */
static inline struct tree_node *tree_next(struct tree_node *node)
{
	if (node->child)
		return node->child;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

#endif
