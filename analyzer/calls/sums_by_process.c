/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hooks' cost is taken out as hook_costs.h says, within one log: what is below a node comes behind it in the file. */
#include "analyzer/calls/sums_by_process.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/log/node_check.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/read/heap_read.h"
#include "analyzer/read/nodes_read.h"

#define NO_PARENT UINT32_MAX

/* Of a node of the log; all 0 where it is blank or not sound. There may be millions. */
struct part {
	uint64_t calls;
	uint64_t timed_calls;
	double total_ns;
	double self_ns;
	double self_doubt_ns;
	double total_doubt_ns;
	struct hook_cost cost;
	double below_ns;		/* hooks of all calls below it */
	double beside_ns;		/* of those, outside of the calls that it made itself */
	uint32_t parent;		/* index of its caller's node */
};

struct sums {
	struct process *process;
	struct part *parts;		/* [index of a node] */
	process_sums_visit *visit;
	void *context;
};

static bool is_sound(const struct process *process, const struct log_node *node)
{
	struct node_limits limits = {
		.span_ticks = process->limit_ticks - process->timebase.points[0].ticks,
		.calls = UINT64_MAX,
		.changing = true,
	};
	uint64_t histogram[LOG_BUCKETS];

	for (int i = 0; i < LOG_BUCKETS; i++)
		histogram[i] = node->histogram[i];
	return node_is_sound(node, histogram, &limits);
}

static void read_part(struct sums *sums, const struct thread *thread, uint32_t index, uint64_t offset)
{
	struct process *process = sums->process;
	struct part *part = &sums->parts[index];
	struct log_node node;
	int64_t parent;

	logfile_node(process->log, offset, &node);
	if (!process->tree_of[index] || !is_sound(process, &node))
		return;
	parent = (uint64_t)node.parent << LOG_REF_SHIFT < offset ? logfile_node_index(process->log, node.parent) : -1;
	part->parent = parent < 0 ? NO_PARENT : (uint32_t)parent;
	part->calls = node.calls;
	part->timed_calls = log_node_timed_calls(&node);
	part->total_ns = (double)node.total_ticks * process->tick_ns;
	part->self_ns = (double)(int64_t)(node.total_ticks - node.child_ticks) * process->tick_ns;
	part->cost = hook_cost_of(thread, &node);
}

static void read_parts(struct sums *sums)
{
	struct logfile *log = sums->process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		bool is_own = extent->kind == LOG_AREA_THREAD;
		const struct thread *thread = nodes_thread(sums->process, is_own ? (uint32_t)(extent->offset >> LOG_REF_SHIFT) :
							   extent->owner);
		uint64_t offset = extent->offset + sizeof(struct log_area);

		for (uint32_t j = 0; thread && j < extent->nr_nodes; j++, offset += sizeof(struct log_node))
			read_part(sums, thread, extent->first_node + j, offset);
		if (extent->nr_nodes)
			logfile_forget(log, extent);
	}
}

/* From the last node to the first. Return: what all hooks cost */
static double add_costs(struct sums *sums)
{
	double all_ns = 0;

	for (uint32_t i = (uint32_t)sums->process->log->nr_nodes; i-- > 0;) {
		const struct part *part = &sums->parts[i];

		all_ns += part->cost.hooks_ns;
		if (part->parent == NO_PARENT)
			continue;
		sums->parts[part->parent].below_ns += part->below_ns + part->cost.hooks_ns;
		sums->parts[part->parent].beside_ns += part->cost.hooks_ns - part->cost.inside_ns;
		sums->parts[part->parent].self_doubt_ns += part->cost.noise_ns + part->cost.new_path_ns;
		sums->parts[part->parent].total_doubt_ns += part->total_doubt_ns + part->cost.noise_ns +
			part->cost.new_path_ns;
	}
	return all_ns;
}

/* What is left out is its caller's self time. */
static void give_parts(struct sums *sums)
{
	struct process *process = sums->process;
	bool is_raw = process->model->is_raw;

	for (uint32_t i = 0; i < process->log->nr_nodes; i++) {
		const struct part *part = &sums->parts[i];
		struct process_sum sum = { .path = process->tree_of[i], .stats = {
			.calls = part->calls, .timed_calls = part->timed_calls, .known_calls = part->timed_calls,
			.self_ns = part->self_ns - (is_raw ? 0 : part->cost.inside_ns + part->beside_ns),
			.total_ns = part->total_ns - (is_raw ? 0 : part->cost.inside_ns + part->below_ns),
			.self_doubt_ns = is_raw ? 0 : part->self_doubt_ns + part->cost.noise_ns,
			.total_doubt_ns = is_raw ? 0 : part->total_doubt_ns + part->cost.noise_ns } };

		if (!sum.path || !sum.path->function)
			continue;
		if (process->is_left_out && process->is_left_out[i])
			sum.stats = (struct call_stats){ .self_ns = sum.stats.self_ns,
							  .self_doubt_ns = sum.stats.self_doubt_ns };
		sum.stats.min_ns = sum.stats.max_ns = sum.stats.finished_max_ns = NAN;
		sums->visit(&sum, sums->context);
	}
}

static void give_open_calls(struct sums *sums)
{
	for (size_t i = 0; i < sums->process->nr_stacks; i++) {
		const struct open_stack *stack = &sums->process->stacks[i];

		for (size_t j = 0; j < stack->nr_calls; j++) {
			const struct open_call *call = &stack->calls[j];
			double ns = isnan(call->so_far_ns) ? 0 : call->so_far_ns;

			sums->visit(&(struct process_sum){ .path = call->node, .stats = {
				.calls = !call->was_counted, .open_calls = 1, .self_ns = call->self_ns, .total_ns = ns, .open_ns = ns,
				.min_ns = NAN, .max_ns = NAN, .finished_max_ns = NAN } }, sums->context);
		}
	}
}

static void give_heap(struct tree_node *path, const struct heap_stats *heap, void *context)
{
	struct sums *sums = context;

	sums->visit(&(struct process_sum){ .path = path, .heap = *heap }, sums->context);
}

double process_sums_each(struct process *process, process_sums_visit *visit, void *context)
{
	struct sums sums = { .process = process, .visit = visit, .context = context };
	double hooks_ns;

	give_open_calls(&sums);
	if (!process->tree_of)	/* a child that made no call of its own */
		return 0;
	sums.parts = xcalloc(process->log->nr_nodes, sizeof(*sums.parts));
	for (size_t i = 0; i < process->log->nr_nodes; i++)
		sums.parts[i].parent = NO_PARENT;
	read_parts(&sums);
	hooks_ns = add_costs(&sums);
	give_parts(&sums);
	heaps_each(process, give_heap, &sums);
	free(sums.parts);
	return hooks_ns;
}
