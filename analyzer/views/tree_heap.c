/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/views/tree_heap.h"

#include "analyzer/model/tree_walk.h"

bool report_is_of_stacks(const struct report *report)
{
	return report->model->heap.nr_samples && !report->model->calls;
}

/* Stacks are no deeper than what is taken of them. */
const double *tree_alloc_bytes(struct document *document, const struct model *model)
{
	double *bytes = document_new(document, model->nr_tree_nodes * sizeof(*bytes));

	for (struct tree_node *node = model->root; node; node = tree_next(node))
		for (const struct tree_node *at = node; node->heap->alloc_bytes && at; at = at->parent)
			bytes[at->id] += (double)node->heap->alloc_bytes;
	return bytes;
}
