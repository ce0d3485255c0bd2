/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of the hooks of calls, and times without it. */
#include "analyzer/model/hook_costs.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/tree_walk.h"

/*
 * The cost was measured with nothing else running. Among other code a processor overlaps more or less of it,
 * so the measured spread is not all of the uncertainty. In `make truth` the cost of a call is off by up to
 * this part of it.
 */
#define DOUBT_SHARE (3.0 / 8)

static double cost_ns(uint32_t cost, const struct process *process)
{
	return (double)cost / (1 << LOG_COST_SHIFT) * process->tick_ns;
}

static double doubt_ns(const struct log_cost *cost, const struct process *process)
{
	return fmax(cost_ns(cost->spread, process), cost_ns(cost->full, process) * DOUBT_SHARE);
}

double hook_costs_around_ns(const struct process *process)
{
	return cost_ns(process->header.costs[LOG_COST_AROUND].full, process) * (1 - DOUBT_SHARE);
}

/* Finished calls that the timed ones stand for, without the one that is not in the histogram yet. */
static double known_calls(const struct process *process, const struct log_node *node)
{
	double calls = 0;

	if (process->header.timing != LOG_TIMING_ADAPTIVE)
		return (double)log_node_timed_calls(node);
	for (int i = 0; i < LOG_BUCKETS; i++)
		calls += node->histogram[i];
	return calls;
}

/*
 * Finished calls that have a slice each: those at least as long as the threshold at the end. The bucket that
 * contains the threshold counts in part.
 */
static double recorded_calls(const struct process *process, const struct log_node *node)
{
	double threshold_ticks = (double)process->header.threshold_ticks, calls = 0, low = 1;

	for (int i = 0; i < LOG_BUCKETS; i++, low *= 2) {
		if (node->histogram[i] && 2 * low > threshold_ticks)
			calls += node->histogram[i] * fmin(1, (2 * low - threshold_ticks) / low);
	}
	return calls;
}

/*
 * The cost of their slices, after their time was taken: a slice costs this much more than the two hooks
 * alone.
 */
static double slices_ns(const struct process *process, const struct log_node *node)
{
	const struct log_cost *costs = process->header.costs;
	double one_ns = cost_ns(costs[LOG_COST_RECORDED].full, process) -
			cost_ns(costs[LOG_COST_TIMED].full, process);

	/* threshold 0: each call has a slice, and its whole cost is LOG_COST_RECORDED */
	if (!process->header.threshold_ticks || one_ns <= 0)
		return 0;
	return recorded_calls(process, node) * one_ns;
}

/* The sum over the record at @ref and those of other callers below it. */
static void add_blocks(const struct thread *thread, uint32_t ref, uint32_t level, struct hook_cost *cost)
{
	const struct process *process = thread->process;
	const struct log_cost *allocation = &process->header.costs[LOG_COST_ALLOCATION];
	const struct log_cost *release = &process->header.costs[LOG_COST_FREE];
	const uint64_t offset = (uint64_t)ref << LOG_REF_SHIFT, most = process_most_calls(process);
	struct log_heap heap;
	const struct log_extent *area = ref ? logfile_find(process->log, offset, sizeof(heap)) : NULL;

	if (!area || area->kind != LOG_AREA_HEAPS || area->owner != thread->ref ||
	    level > LOG_HEAP_CALLER_LEVELS)
		return;
	memcpy(&heap, process->log->base + offset, sizeof(heap));
	if (heap.alloc_calls > most || heap.free_calls > most)	/* heap_read.c reports the damage */
		return;
	cost->hooks_ns += (double)heap.alloc_calls * cost_ns(allocation->full, process) +
			  (double)heap.free_calls * cost_ns(release->full, process);
	cost->noise_ns += (double)heap.alloc_calls * doubt_ns(allocation, process) +
			  (double)heap.free_calls * doubt_ns(release, process);
	add_blocks(thread, heap.others[0], level + 1, cost);
	add_blocks(thread, heap.others[1], level + 1, cost);
}

/*
 * The cost of counting the blocks that the function itself allocated and freed: hooks_ns, noise_ns. A library
 * call that waits shares the record of its caller, which pays for all of it.
 */
static struct hook_cost blocks_cost(const struct thread *thread, const struct log_node *node)
{
	struct hook_cost cost = { 0 };

	if (!log_is_wait(node->function_addr))
		add_blocks(thread, node->heap, 0, &cost);
	return cost;
}

#define MOST_COST_TICKS (1 << 20)	/* more is damage */

/*
 * Of a library call that waits. Recording it takes longer than the hooks of a function. How long depends on
 * the call and on the caches, so it was measured in some of its own calls.
 */
static struct log_cost cost_of_wait(const struct log_node *node, const struct log_cost *timed)
{
	double outside_ticks = fmin((double)node->cost_ticks / node->cost_calls, MOST_COST_TICKS);

	return (struct log_cost){
		.full = (uint32_t)(outside_ticks * (1 << LOG_COST_SHIFT)) + timed->inside,
		.inside = timed->inside,
	};
}

struct hook_cost hook_cost_of(const struct thread *thread, const struct log_node *node)
{
	const struct process *process = thread->process;
	const struct log_cost *costs = process->header.costs, *timed = &costs[LOG_COST_TIMED],
			      *untimed = &costs[LOG_COST_UNTIMED];
	struct log_cost of_wait;
	bool is_measured;	/* with the slices */
	double timed_calls = (double)log_node_timed_calls(node),
	       untimed_calls = (double)node->calls - timed_calls;
	/* an outermost path is made before the time of its function begins, so it is in no function's time */
	double new_path_ns = hook_costs_is_outermost(thread, node) ? 0 : thread->new_path_ns;
	struct hook_cost blocks;

	if (process->header.timing == LOG_TIMING_COUNTS || !timed->full)
		return (struct hook_cost){ 0 };
	if (!process->header.threshold_ticks && costs[LOG_COST_RECORDED].full)	/* each call has a slice */
		timed = &costs[LOG_COST_RECORDED];
	is_measured = log_is_wait(node->function_addr) && node->cost_calls &&
		      process->header.timing != LOG_TIMING_ADAPTIVE;
	if (is_measured) {
		of_wait = cost_of_wait(node, timed);
		timed = &of_wait;
	}
	blocks = blocks_cost(thread, node);
	return (struct hook_cost){
		known_calls(process, node) * cost_ns(timed->inside, process) + blocks.hooks_ns,
		timed_calls * cost_ns(timed->full, process) +
			untimed_calls * cost_ns(untimed->full, process) + new_path_ns +
			(is_measured ? 0 : slices_ns(process, node)) + blocks.hooks_ns,
		timed_calls * doubt_ns(timed, process) + untimed_calls * doubt_ns(untimed, process) +
			blocks.noise_ns,
		new_path_ns,
		(double)node->calls * hook_costs_around_ns(process),
	};
}

/*
 * The hooks below a call without a clock, and their doubt, are in the time of the nearest timed call above.
 */
static void pass_on(struct hook_share *share, struct hook_share *caller, const struct hook_cost *cost,
		    double over_ns)
{
	caller->self_ns += over_ns;
	caller->lent_doubt_ns += share->lent_doubt_ns + share->self_doubt_ns + cost->noise_ns;
	share->self_doubt_ns = 0;
}

void hook_share_step(struct hook_share *share, struct hook_share *caller, const struct hook_step *path)
{
	const struct hook_cost *cost = &path->cost;
	double recorded_ns = fmax(path->self_ns, 0), outside_ns = cost->hooks_ns - cost->inside_ns;
	double over_ns = fmax(share->self_ns + cost->inside_ns - recorded_ns, 0);
	double given_back_ns = path->is_counted ? 0 : over_ns;
	double self_ns = fmax(recorded_ns - share->self_ns - cost->inside_ns, 0);
	/* of all paths below, and this one */
	double hooks_ns = share->total_ns + cost->inside_ns - given_back_ns;
	double measured_ns = path->total_ns - hooks_ns, total_ns = measured_ns, doubt_ns;

	if (path->is_timed || path->is_counted) {
		double twice_ns = fmin(fmax(self_ns + share->below_ns - measured_ns, 0), self_ns);

		if (path->is_counted)
			twice_ns = 0;
		self_ns -= twice_ns;
		given_back_ns += twice_ns;
		total_ns = self_ns + share->below_ns;
		if (path->keeps_total)
			total_ns = fmax(total_ns, measured_ns);
	}
	share->self_ns = path->self_ns - self_ns;
	share->total_ns = path->total_ns - total_ns;
	if (path->is_counted) {
		pass_on(share, caller, cost, over_ns);
	} else {
		doubt_ns = cost->noise_ns + given_back_ns + share->lent_doubt_ns;
		share->self_doubt_ns += doubt_ns;
		share->total_doubt_ns += doubt_ns;
		caller->self_doubt_ns += cost->noise_ns;
	}
	caller->self_ns += outside_ns;
	caller->total_ns += hooks_ns + outside_ns;
	caller->below_ns += fmax(total_ns, 0);
	caller->self_doubt_ns += cost->new_paths_ns;
	caller->total_doubt_ns += share->total_doubt_ns + cost->new_paths_ns;
}

/* Calls whose path is not known stand right below the root. */
static bool is_below_others(const struct tree_node *node, const bool *below)
{
	return node->parent->parent ? below[node->parent->id] : node->function->kind == FUNCTION_OTHERS;
}

static bool is_timed(const struct tree_node *node)
{
	return node->function->kind != FUNCTION_COUNTED && (node->sum.timed_calls || node->rare->open_ns > 0);
}

static double net_total_ns(const struct tree_node *node)
{
	return node->sum.total_ns - node->hooks.total_ns;
}

/*
 * Totals that were kept as recorded include calls whose path is not known, and all hooks in these. Together
 * they include no more than the time of those calls.
 */
static void fit_kept_totals(struct model *model, const bool *below_others)
{
	double *selves_ns = xcalloc(model->nr_tree_nodes, sizeof(*selves_ns)), others_ns = 0, kept_ns = 0,
	       share;

	for (size_t id = model->nr_tree_nodes; id-- > 1;) {
		const struct tree_node *node = tree_node(model, id);

		selves_ns[id] += node->sum.self_ns - node->hooks.self_ns;
		selves_ns[node->parent->id] += selves_ns[id];
		if (node->depth == 1 && below_others[id])
			others_ns += selves_ns[id];
		else if (node->depth == 1)
			kept_ns += fmax(net_total_ns(node) - selves_ns[id], 0);
	}
	share = kept_ns > others_ns ? others_ns / kept_ns : 1;
	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		struct tree_node *node = tree_node(model, id);
		double too_much_ns =
			below_others[id] ? 0 : fmax(net_total_ns(node) - selves_ns[id], 0) * (1 - share);

		node->hooks.total_ns += too_much_ns;
		node->hooks.total_doubt_ns += too_much_ns;
	}
	free(selves_ns);
}

static void subtract(struct model *model)
{
	bool *below_others = xcalloc(model->nr_tree_nodes, sizeof(*below_others)), has_others = false;

	for (size_t id = 1; id < model->nr_tree_nodes; id++)
		has_others |= below_others[id] = is_below_others(tree_node(model, id), below_others);
	for (size_t id = model->nr_tree_nodes; id-- > 1;) {
		struct tree_node *node = tree_node(model, id);
		const struct hook_step path = { node->sum.cost, node->sum.total_ns, node->sum.self_ns,
						is_timed(node), node->function->is_counted,
						has_others && !below_others[id] };

		hook_share_step(&node->hooks, &node->parent->hooks, &path);
	}
	if (has_others)
		fit_kept_totals(model, below_others);
	free(below_others);
	model->root->hooks = (struct hook_share){ 0 };
}

void hook_costs_subtract(struct model *model)
{
	for (size_t id = 0; id < model->nr_tree_nodes; id++)
		tree_node(model, id)->hooks = (struct hook_share){ 0 };
	if (!model->is_raw)
		subtract(model);
}
