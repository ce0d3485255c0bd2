/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/sampled_lines.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/lines/line_counts.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/tree.h"
#include "analyzer/read/code_paths.h"
#include "analyzer/read/heap_read.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/read/samples_read.h"

struct sampled_lines {
	struct process *process;
	struct sampled_node *nodes;	/* [index of a node in the log] */
};

/* A node of the log, as the lines need it. */
struct sampled_node {
	bool is_read;
	uint32_t parent;		/* its parent's ref; 0: it has none before it */
	struct code_place *place;	/* NULL: it is not told by its code */
	struct function *function;	/* NULL: the root */
};

static struct sampled_node *read_node(struct sampled_lines *lines, uint32_t ref)
{
	struct process *process = lines->process;
	int64_t index = logfile_node_index(process->log, ref);
	struct sampled_node *of;
	struct log_node node;

	if (index < 0)
		return NULL;
	if (!lines->nodes)
		lines->nodes = xcalloc(process->log->nr_nodes, sizeof(*lines->nodes));
	of = &lines->nodes[index];
	if (of->is_read)
		return of;
	of->is_read = true;
	logfile_node(process->log, (uint64_t)ref << LOG_REF_SHIFT, &node);
	of->parent = node.parent < ref ? node.parent : 0;
	of->place = code_place_of(process, &node);
	if (node.function_addr)
		of->function = function_find(&process->model->tables->functions, process,
					     log_node_function(&node));
	return of;
}

static void add_sample(struct thread *thread, const struct log_sample *sample, uint64_t offset, void *context)
{
	struct process *process = thread->process;
	struct sampled_lines *lines = context;
	const struct sampled_node *node = read_node(lines, sample->node);
	struct line_stack stack;

	(void)offset;
	if (process->header.samples_are_of_time && log_sample_state(sample->flags) != LOG_SAMPLE_RUNNING)
		return;
	if (sample->flags & LOG_SAMPLE_IN_HOOK || !nodes_path(thread, sample->node) ||
	    sample->ticks > process->limit_ticks || nodes_is_left_out(process, sample->node))
		return;
	stack = line_stack_begin(lines_of(process->model), 1, sample_ns(process, sample));
	line_stack_add(&stack, code_place_at(process, sample->pc_addr, sample->ticks),
		       node ? node->function : NULL);
	while (node && node->parent) {
		node = read_node(lines, node->parent);
		if (node && node->place)
			line_stack_add(&stack, node->place, node->function);
	}
}

/* Runtimes have no lines in most cases: a block is allocated by the nearest code that has one. */
static void add_heap(struct tree_node *path, const struct heap_stats *stats, uint32_t node_ref, void *context)
{
	struct sampled_lines *lines = context;
	const struct sampled_node *node = read_node(lines, node_ref), *at = node;

	(void)path;
	while (at && at->parent && !(at->place && at->place->levels[at->place->nr - 1].line))
		at = read_node(lines, at->parent);
	if (!at || !at->place)
		at = node;
	if (at && at->place)
		lines_add_heap(lines_of(lines->process->model), at->place, at->function, stats);
}

static void read_process(struct process *process)
{
	struct sampled_lines lines = { .process = process };

	if (process->is_saved || !process->log)
		return;
	samples_each(process, add_sample, &lines);
	if (heap_is_sampled(process))
		heaps_each(process, add_heap, &lines);
	free(lines.nodes);
}

/* Functions that are on no path have no names yet. */
static void name_functions(const struct lines *lines)
{
	struct function **list = xcalloc(lines->functions.nr_items + 1, sizeof(*list));
	const struct line_function *of;
	size_t nr = 0;

	for (size_t at = 0; (of = hashtable_next(&lines->functions, &at));)
		if (!of->function->name)
			list[nr++] = of->function;
	resolve_ahead(list, nr);
	free(list);
}

const struct lines *sampled_lines_read(struct model *model)
{
	const bool has_counts = line_counts_are_in(model, NO_RUN), are_beside = line_counts_are_beside(model);

	if (!model->samples.nr && !model->heap.nr_samples && !has_counts)
		return NULL;
	if (lines_of(model)->are_read)
		return model->lines;
	model->lines->are_read = true;
	for (size_t i = 0; i < model->nr_processes; i++)
		if (!are_beside || !line_counts_are_in(model, model->processes[i]->run))
			read_process(model->processes[i]);
	name_functions(model->lines);
	line_counts_read(model);
	name_functions(model->lines);
	return model->lines;
}
