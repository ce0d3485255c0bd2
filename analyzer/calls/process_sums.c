/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the counters of one log again, and subtracts the hooks' cost within that log. */
#include "analyzer/calls/process_sums.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/counted/counted_times.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/counted_read.h"
#include "analyzer/read/heap_read.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/read/sample_shares.h"

#define NO_PARENT UINT32_MAX

/* A node of the log; all 0 if it is blank or not sound. There may be millions of them. */
struct part {
	struct counters sum;
	struct hook_share hooks;
	const struct thread *thread;
	uint32_t parent;		/* index of its caller's node */
	bool has_open;			/* calls whose time is not in sum */
};

struct sums {
	struct process *process;
	struct part *parts;		/* [index of a node] */
	struct sample_shares shares;
	process_sums_visit *visit;
	void *context;
};

static void take_fact(const struct node_fact *fact, void *context)
{
	const struct sums *sums = context;
	struct part *part = &sums->parts[fact->index];

	counters_add(&part->sum, &fact->stats);
	part->thread = fact->thread;
	if (fact->parent >= 0)
		part->parent = (uint32_t)fact->parent;
}

/* From the last node to the first: callees lie behind their callers in the file. */
static void subtract_hooks(const struct sums *sums)
{
	struct hook_share nowhere = { 0 };

	for (uint32_t i = (uint32_t)sums->process->log->nr_nodes; i-- > 0;) {
		struct part *part = &sums->parts[i];
		bool left_out;
		const struct tree_node *node = nodes_place(sums->process, i, &left_out);
		const bool is_counted = node && node->function && node->function->is_counted;
		const struct hook_step path = { part->sum.cost, part->sum.total_ns, part->sum.self_ns,
						part->sum.timed_calls && !part->has_open,
						is_counted, true };

		hook_share_step(
			&part->hooks,
			part->parent == NO_PARENT ? &nowhere : &sums->parts[part->parent].hooks, &path);
	}
}

static void mark_open(const struct sums *sums)
{
	const struct process *process = sums->process;

	for (size_t i = 0; i < process->nr_stacks; i++)
		for (size_t j = 0; j < process->stacks[i].nr_calls; j++) {
			int64_t index = logfile_node_index(process->log, process->stacks[i].calls[j].ref);

			if (index >= 0)
				sums->parts[index].has_open = true;
		}
}

/* Calls counted by call sites have no path of their own in the log. */
static void give_counted_calls(const struct sums *sums)
{
	for (size_t i = 0; i < sums->process->nr_counted_sums; i++) {
		const struct counted_sum *counted = &sums->process->counted_sums[i];
		struct process_sum sum = { .path = counted->path, .stats = NO_CALLS };

		sum.stats.calls = sum.stats.counted_calls = sum.stats.known_calls = counted->calls;
		sums->visit(&sum, sums->context);
	}
}

static bool is_counted(const struct tree_node *path)
{
	return path->function && path->function->is_counted;
}

/*
 * By the samples of all processes, time moved from some paths of the tree to others. This takes from the path
 * what it lost. Each process and thread loses in proportion to its recorded time.
 */
static void move_times(struct process_sum *sum)
{
	const struct rare_counters *rare = sum->path->rare;
	const struct call_stats all = path_stats(sum->path);
	const double before_ns = counted_times_before(sum->path);
	const double total_before_ns = all.total_ns - rare->moved_total_ns;
	const double given_ns = is_counted(sum->path) ? rare->sampled_ns : 0;

	if (before_ns > 0)
		sum->stats.self_ns +=
			fmax(sum->stats.self_ns, 0) / before_ns * (rare->moved_self_ns - given_ns);
	if (total_before_ns > 0 && !is_counted(sum->path))
		sum->stats.total_ns +=
			fmax(sum->stats.total_ns, 0) / total_before_ns * rare->moved_total_ns;
}

/* Give counted paths the time that they have by samples. Each thread gets the part that its samples have. */
static void give_sampled(const struct sums *sums)
{
	const struct model *model = sums->process->model;

	for (size_t id = 1; id < model->nr_tree_nodes && sums->shares.nr; id++) {
		struct tree_node *node = tree_node(model, id);
		struct process_sum sum = { .path = node, .stats = NO_CALLS };
		const struct sample_share *share;
		size_t nr;

		if (!is_counted(node) || !(node->rare->sampled_ns > 0 || node->rare->moved_total_ns > 0))
			continue;
		share = sample_shares_of(&sums->shares, node->function, &nr);
		for (size_t i = 0; i < nr; i++) {
			sum.thread = share[i].thread;
			sum.stats.self_ns = sum.stats.sampled_ns = share[i].self * node->rare->sampled_ns;
			sum.stats.total_ns = share[i].total * fmax(node->rare->moved_total_ns, 0);
			sums->visit(&sum, sums->context);
		}
	}
}

/* The time of calls that are left out is their caller's self time. */
static void give_parts(const struct sums *sums)
{
	const struct hook_share nothing = { 0 };

	for (uint32_t i = 0; i < sums->process->log->nr_nodes; i++) {
		const struct part *part = &sums->parts[i];
		struct process_sum sum = { .thread = part->thread, .stats = NO_CALLS };
		struct call_stats all;
		bool left_out;

		sum.path = nodes_place(sums->process, i, &left_out);
		if (!sum.path || !sum.path->function)
			continue;
		all = counters_stats(&part->sum, &no_rare_counters,
				     sums->process->model->is_raw ? &nothing : &part->hooks);
		if (left_out) {
			sum.stats.self_ns = all.self_ns;
			sum.stats.self_doubt_ns = all.self_doubt_ns;
		} else {
			sum.stats = all;
			move_times(&sum);
		}
		sums->visit(&sum, sums->context);
	}
}

static void give_open_calls(const struct sums *sums)
{
	for (size_t i = 0; i < sums->process->nr_stacks; i++) {
		const struct open_stack *stack = &sums->process->stacks[i];

		for (size_t j = 0; j < stack->nr_calls; j++) {
			const struct open_call *call = &stack->calls[j];
			double ns = isnan(call->so_far_ns) ? 0 : call->so_far_ns;

			sums->visit(&(struct process_sum){ .path = call->node,
							   .thread = stack->thread,
							   .stats = { .calls = !call->was_counted,
								      .open_calls = 1,
								      .self_ns = call->self_ns,
								      .total_ns = ns,
								      .open_ns = ns,
								      .min_ns = NAN,
								      .max_ns = NAN,
								      .finished_max_ns = NAN } },
				    sums->context);
		}
	}
}

static void give_heap(struct tree_node *path, const struct heap_stats *heap, const struct log_heap *record,
		      void *context)
{
	const struct sums *sums = context;

	sums->visit(&(struct process_sum){ .path = path, .heap = *heap }, sums->context);
}

void process_sums_each(struct process *process, process_sums_visit *visit, void *context)
{
	struct sums sums = { .process = process, .visit = visit, .context = context };

	give_open_calls(&sums);
	if (!process->path_of)	/* a child that made no calls of its own */
		return;
	sums.parts = xcalloc(process->log->nr_nodes, sizeof(*sums.parts));
	for (size_t i = 0; i < process->log->nr_nodes; i++)
		sums.parts[i].parent = NO_PARENT;
	nodes_each(process, take_fact, &sums);
	mark_open(&sums);
	subtract_hooks(&sums);
	give_parts(&sums);
	sample_shares_read(&sums.shares, process);
	give_sampled(&sums);
	sample_shares_release(&sums.shares);
	give_counted_calls(&sums);
	heaps_each(process, give_heap, &sums);
	free(sums.parts);
}
