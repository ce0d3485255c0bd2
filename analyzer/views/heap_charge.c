/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is behind an allocation of a container: with its hooks it is ten calls away, in new_allocator.h. */
#include "analyzer/views/heap_charge.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

bool function_is_of_cpp_library(const struct function *function)
{
	static const char *const names[] = { "std::", "__gnu_cxx::", "__cxxabiv1::" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(function->short_name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void heap_charge(struct model *model)
{
	struct function **payers = xcalloc(model->nr_tree_nodes, sizeof(*payers));	/* [id of a node] */

	for (size_t i = 0; i < model->nr_known_functions; i++)
		model->functions[i]->charged_heap = (struct heap_stats){ 0 };
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		struct function *above = payers[node->parent->id];

		payers[node->id] = above && function_is_of_cpp_library(node->function) ? above : node->function;
		heap_stats_add(&payers[node->id]->charged_heap, node->heap);
	}
	free(payers);
}
