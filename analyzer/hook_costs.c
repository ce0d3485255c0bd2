/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hooks' own cost, taken out of times. */
#include "hook_costs.h"

#include <stdlib.h>

#include "error.h"
#include "walk.h"

/*
 * What was measured is the cost beside nothing else. Among other code a processor overlaps more or less of it: the
 * measured spread is not all of the doubt.
 */
#define DOUBT_SHARE (1.0 / 8)

static double cost_ns(uint32_t cost, const struct process *process)
{
	return ldexp((double)cost, -LOG_COST_SHIFT) * process->tick_ns;
}

static double doubt_ns(const struct log_cost *cost, const struct process *process)
{
	return fmax(cost_ns(cost->spread, process), cost_ns(cost->full, process) * DOUBT_SHARE);
}

void hook_costs_add(struct tree_node *path, struct thread *thread, const struct log_node *node, uint64_t known_calls,
		    double new_path_ns)
{
	const struct process *process = thread->process;
	struct call_stats *stats = &path->stats;
	const struct log_cost *costs = process->header.costs, *timed = &costs[LOG_COST_TIMED], *untimed = &costs[LOG_COST_UNTIMED];
	double timed_calls = (double)log_node_timed_calls(node), untimed_calls = (double)node->calls - timed_calls;
	double inside_ns, hooks_ns;

	if (process->header.timing == LOG_TIMING_COUNTS || !timed->full)
		return;
	if (!process->header.threshold_ticks && costs[LOG_COST_RECORDED].full)	/* each call has a record */
		timed = &costs[LOG_COST_RECORDED];
	if (path->parent == process->model->root)	/* made before its function's time begins, in no other one's */
		new_path_ns = 0;
	inside_ns = (double)known_calls * cost_ns(timed->inside, process);
	hooks_ns = timed_calls * cost_ns(timed->full, process) + untimed_calls * cost_ns(untimed->full, process) + new_path_ns;
	stats->inside_ns += inside_ns;
	stats->hooks_ns += hooks_ns;
	stats->noise_ns += timed_calls * doubt_ns(timed, process) + untimed_calls * doubt_ns(untimed, process);
	if (!process->model->is_raw)	/* outside of the call it is in its caller's time, if it has one */
		thread->functions_ns -= path->parent == process->model->root ? inside_ns : hooks_ns;
}

/* By id: callers before what they call. */
static struct tree_node **list_nodes(const struct model *model)
{
	struct tree_node **nodes = xcalloc(model->nr_tree_nodes, sizeof(*nodes));

	for (struct tree_node *node = model->root; node; node = tree_next(node))
		nodes[node->id] = node;
	return nodes;
}

struct hook_share *hook_costs_find(const struct model *model)
{
	struct hook_share *shares = xcalloc(model->nr_tree_nodes, sizeof(*shares));
	double *below_ns = xcalloc(model->nr_tree_nodes, sizeof(*below_ns));
	struct tree_node **nodes = list_nodes(model);

	for (size_t id = model->nr_tree_nodes; id-- > 1 && !model->is_raw;) {
		const struct call_stats *stats = &nodes[id]->stats;
		size_t parent = nodes[id]->parent->id;

		shares[id].self_ns += stats->inside_ns;
		shares[id].total_ns += stats->inside_ns + below_ns[id];
		shares[id].doubt_ns += stats->noise_ns;
		below_ns[parent] += below_ns[id] + stats->hooks_ns;
		shares[parent].self_ns += stats->hooks_ns - stats->inside_ns;
		shares[parent].doubt_ns += stats->noise_ns;
	}
	free(below_ns);
	free(nodes);
	return shares;
}

void hook_costs_take_out(struct model *model)
{
	struct hook_share *shares = hook_costs_find(model);

	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		struct call_stats *stats = &node->stats;
		const struct hook_share *share = &shares[node->id];

		stats->self_ns -= share->self_ns;
		stats->total_ns -= share->total_ns;
		stats->duration_ns -= share->total_ns;
		stats->removed_self_ns = share->self_ns;
		stats->removed_ns = share->total_ns;
		stats->doubt_ns = share->doubt_ns;
		model->hooks_ns += stats->hooks_ns;
	}
	free(shares);
}
