/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of runs, by differences: the tree itself has sums only. */
#include "parts.h"

#include <stdlib.h>

#include "error.h"
#include "hook_costs.h"
#include "tree.h"
#include "walk.h"

static struct run_part *part_of(struct function *function, const struct model *model, uint32_t run)
{
	if (!function->parts)
		function->parts = xcalloc(model->nr_runs, sizeof(*function->parts));
	return &function->parts[run];
}

void parts_add_range(struct path_range *range, const struct path_range *more)
{
	const struct run_part *min = &more->min, *max = &more->max;

	if (!more->nr_runs)
		return;
	if (!range->nr_runs) {
		*range = *more;
		return;
	}
	range->nr_runs += more->nr_runs;
	range->min.calls = min->calls < range->min.calls ? min->calls : range->min.calls;
	range->max.calls = max->calls > range->max.calls ? max->calls : range->max.calls;
	range->min.self_ns = fmin(range->min.self_ns, min->self_ns);
	range->max.self_ns = fmax(range->max.self_ns, max->self_ns);
	range->min.total_ns = fmin(range->min.total_ns, min->total_ns);
	range->max.total_ns = fmax(range->max.total_ns, max->total_ns);
}

static void take_node(struct parts *parts, const struct model *model, struct tree_node *node, uint32_t run,
		      const struct hook_share *hooks)
{
	const struct call_stats *stats = &node->stats;
	double self_ns = stats->self_ns - hooks->self_ns, total_ns = stats->total_ns - hooks->total_ns;
	struct run_part *before = &parts->before[node->id], *part, more;

	if (stats->calls > before->calls && run != PARTS_KNOWN) {
		more = (struct run_part){ stats->calls - before->calls, self_ns - before->self_ns, total_ns - before->total_ns };
		parts_add_range(&model->ranges[node->id], &(struct path_range){ 1, more, more });
		part = part_of(node->function, model, run);
		part->calls += more.calls;
		part->self_ns += more.self_ns;
		if (!node->function->on_path)	/* as a function's total time */
			part->total_ns += more.total_ns;
	}
	*before = (struct run_part){ stats->calls, self_ns, total_ns };
}

void parts_take(struct parts *parts, struct model *model, uint32_t run)
{
	struct run_part *before = xcalloc(model->nr_tree_nodes, sizeof(*before));
	struct path_range *ranges = xcalloc(model->nr_tree_nodes, sizeof(*ranges));
	struct hook_share *shares = hook_costs_find(model);
	struct tree_node *node = model->root->child;

	for (size_t i = 0; i < parts->nr_nodes; i++) {
		before[i] = parts->before[i];
		ranges[i] = model->ranges[i];
	}
	free(parts->before);
	free(model->ranges);
	parts->before = before;
	model->ranges = ranges;
	parts->nr_nodes = model->nr_tree_nodes;
	while (node) {
		take_node(parts, model, node, run, &shares[node->id]);
		node->function->on_path++;
		node = node->child ? node->child : tree_step_over(node);
	}
	free(shares);
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

struct part_range parts_path_range(const struct model *model, const struct tree_node *node,
				   double (*value)(const struct run_part *))
{
	const struct path_range *range = &model->ranges[node->id];
	const struct run_part sum = { node->stats.calls, node->stats.self_ns, node->stats.total_ns };

	return (struct part_range){ range->nr_runs < model->nr_runs ? 0 : value(&range->min),
				    value(&sum) / (double)model->nr_runs, value(&range->max) };
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
