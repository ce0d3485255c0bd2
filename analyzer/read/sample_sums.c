/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/sample_sums.h"

#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

/* Stacks are no deeper than what is taken of them, and the hooks' paths stay as they are. */
static void charge_callers(struct model *model)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		struct tree_node *caller = node;

		while (node->samples->nr && caller->function && !caller->function->is_called)
			caller = caller->parent;
		if (caller == node)
			continue;
		tree_add_samples(caller, node->samples);
		*tree_samples(node) = (struct sample_stats){ 0 };
	}
}

/* Callers have lower ids than what they call. */
static void add_totals(struct model *model)
{
	for (size_t id = model->nr_tree_nodes; id-- > 0;) {
		struct tree_node *node = tree_node(model, id);
		struct sample_stats *of = node->samples->nr || node->samples->total_nr ? tree_samples(node) : NULL;

		if (!of)
			continue;
		of->total_nr += of->nr;
		of->total_ns += of->ns;
		if (node->parent) {
			tree_samples(node->parent)->total_nr += of->total_nr;
			tree_samples(node->parent)->total_ns += of->total_ns;
		}
	}
}

void sample_sums_make(struct model *model)
{
	bool has_calls = false, has_samples = model->root->samples->nr;

	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		const struct tree_node *node = tree_node(model, id);

		has_samples |= node->samples->nr || node->samples->total_nr;
		if (node->stats.calls)
			node->function->is_called = has_calls = true;
	}
	if (!has_samples)
		return;
	if (has_calls)
		charge_callers(model);
	add_totals(model);
	model->is_sampled = !has_calls && model->root->samples->total_nr;
}
