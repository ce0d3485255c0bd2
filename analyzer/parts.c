/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of runs, by differences: the tree itself has sums only. */
#include "parts.h"

#include <stdlib.h>

#include "error.h"
#include "tree.h"
#include "walk.h"

static struct run_part *part_of(struct function *function, const struct model *model, uint32_t run)
{
	if (!function->parts)
		function->parts = xcalloc(model->nr_runs, sizeof(*function->parts));
	return &function->parts[run];
}

static void take_node(struct parts *parts, const struct model *model, struct tree_node *node, uint32_t run)
{
	const struct call_stats *stats = &node->stats;
	struct run_part *before = &parts->before[node->id], *part;

	if (stats->calls > before->calls && run != PARTS_KNOWN) {
		part = part_of(node->function, model, run);
		part->calls += stats->calls - before->calls;
		part->self_ns += stats->self_ns - before->self_ns;
		if (!node->function->on_path)	/* as a function's total time */
			part->total_ns += stats->total_ns - before->total_ns;
	}
	*before = (struct run_part){ stats->calls, stats->self_ns, stats->total_ns };
}

void parts_take(struct parts *parts, struct model *model, uint32_t run)
{
	struct run_part *before = xcalloc(model->nr_tree_nodes, sizeof(*before));
	struct tree_node *node = model->root->child;

	for (size_t i = 0; i < parts->nr_nodes; i++)
		before[i] = parts->before[i];
	free(parts->before);
	parts->before = before;
	parts->nr_nodes = model->nr_tree_nodes;
	while (node) {
		take_node(parts, model, node, run);
		node->function->on_path++;
		node = node->child ? node->child : tree_step_over(node);
	}
}

void parts_release(struct parts *parts)
{
	free(parts->before);
}

struct part_range parts_range(const struct function *function, size_t nr_runs, double (*value)(const struct run_part *))
{
	struct part_range range = { NAN, 0, NAN };

	for (size_t i = 0; i < nr_runs; i++) {
		double of_run = function->parts ? value(&function->parts[i]) : 0;

		range.min = fmin(range.min, of_run);
		range.max = fmax(range.max, of_run);
		range.mean += of_run / (double)nr_runs;
	}
	return range;
}

double part_calls(const struct run_part *part)
{
	return (double)part->calls;
}

double part_self_ns(const struct run_part *part)
{
	return part->self_ns;
}

double part_total_ns(const struct run_part *part)
{
	return part->total_ns;
}
