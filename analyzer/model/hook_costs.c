/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the hooks of calls cost, and what times are without it. */
#include "analyzer/model/hook_costs.h"

#include <string.h>

#include "analyzer/log/logfile.h"
#include "analyzer/model/tree_walk.h"

/*
 * What was measured is the cost beside nothing else. Among other code a processor overlaps more or less of it: the
 * measured spread is not all of the doubt. By `make truth` a call's cost is off by up to this part of it.
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

/* Finished calls that the timed ones stand for. One that waits to be put into the histogram is not among them. */
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
 * Finished calls that have a slice each, by how long they lasted and what is one's least length at the end; of the bucket
 * that holds that length a part.
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

/* What their slices cost, after their times: a slice more than the two hooks alone. */
static double slices_ns(const struct process *process, const struct log_node *node)
{
	const struct log_cost *costs = process->header.costs;
	double one_ns = cost_ns(costs[LOG_COST_RECORDED].full, process) - cost_ns(costs[LOG_COST_TIMED].full, process);

	if (!process->header.threshold_ticks || one_ns <= 0)	/* with 0 each call has one, and the cost of that */
		return 0;
	return recorded_calls(process, node) * one_ns;
}

/* What it cost to count the blocks that the function itself allocated and freed: hooks_ns, noise_ns. */
static struct hook_cost blocks_cost(const struct thread *thread, const struct log_node *node)
{
	const struct process *process = thread->process;
	const struct log_extent *area;
	const struct log_cost *allocation = &process->header.costs[LOG_COST_ALLOCATION];
	const struct log_cost *release = &process->header.costs[LOG_COST_FREE];
	uint64_t offset = (uint64_t)node->heap << LOG_REF_SHIFT, most = process_most_calls(process);
	struct log_heap heap;

	area = node->heap ? logfile_find(process->log, offset, sizeof(heap)) : NULL;
	if (!area || area->kind != LOG_AREA_HEAPS || area->owner != thread->ref)
		return (struct hook_cost){ 0 };
	memcpy(&heap, process->log->base + offset, sizeof(heap));
	if (heap.alloc_calls > most || heap.free_calls > most)	/* heaps.c tells of it */
		return (struct hook_cost){ 0 };
	return (struct hook_cost){
		.hooks_ns = (double)heap.alloc_calls * cost_ns(allocation->full, process) +
			    (double)heap.free_calls * cost_ns(release->full, process),
		.noise_ns = (double)heap.alloc_calls * doubt_ns(allocation, process) +
			    (double)heap.free_calls * doubt_ns(release, process),
	};
}

struct hook_cost hook_cost_of(const struct thread *thread, const struct log_node *node)
{
	const struct process *process = thread->process;
	const struct log_cost *costs = process->header.costs, *timed = &costs[LOG_COST_TIMED], *untimed = &costs[LOG_COST_UNTIMED];
	double timed_calls = (double)log_node_timed_calls(node), untimed_calls = (double)node->calls - timed_calls;
	/* an outermost path is made before its function's time begins, in no other one's */
	double new_path_ns = hook_costs_is_outermost(thread, node) ? 0 : thread->new_path_ns;
	struct hook_cost blocks;

	if (process->header.timing == LOG_TIMING_COUNTS || !timed->full)
		return (struct hook_cost){ 0 };
	if (!process->header.threshold_ticks && costs[LOG_COST_RECORDED].full)	/* each call has a record */
		timed = &costs[LOG_COST_RECORDED];
	blocks = blocks_cost(thread, node);
	return (struct hook_cost){
		known_calls(process, node) * cost_ns(timed->inside, process) + blocks.hooks_ns,
		timed_calls * cost_ns(timed->full, process) + untimed_calls * cost_ns(untimed->full, process) + new_path_ns +
			slices_ns(process, node) + blocks.hooks_ns,
		timed_calls * doubt_ns(timed, process) + untimed_calls * doubt_ns(untimed, process) + blocks.noise_ns,
		new_path_ns,
	};
}

void hook_costs_subtract(struct model *model)
{
	for (size_t id = 0; id < model->nr_tree_nodes; id++)
		tree_node(model, id)->hooks = (struct hook_share){ 0 };
	for (size_t id = model->nr_tree_nodes; id-- > 1 && !model->is_raw;) {
		struct tree_node *node = tree_node(model, id);

		hook_share_step(&node->hooks, &node->parent->hooks, &node->sum.cost, node->sum.self_ns);
	}
	model->root->hooks = (struct hook_share){ 0 };
}
