/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/sampled_lines.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/lines/line_counts.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/tree.h"
#include "analyzer/read/calling_lines.h"
#include "analyzer/read/code_paths.h"
#include "analyzer/read/heap_read.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/read/samples_read.h"

#define LIBC "libc.so"

struct sampled_lines {
	struct process *process;
	struct sampled_node *nodes;	/* [index of a node in the log] */
};

/* A node of the log, as the lines need it. */
struct sampled_node {
	bool is_read;
	uint32_t parent;		/* its parent's ref; 0: it has none before it */
	struct code_place *place;	/* NULL: its code does not say */
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

/* Return: false: the thread was only ready to run. */
static bool begin_stack(struct process *process, const struct log_sample *sample, struct line_stack *stack)
{
	struct lines *lines = lines_of(process->model);
	const double ns = sample_ns(process, sample);

	if (!process->header.samples_are_of_time)
		*stack = line_stack_begin(lines, 1, ns);
	else if (log_sample_state(sample->flags) == LOG_SAMPLE_RUNNING)
		*stack = line_stack_begin(lines, sample->missed + 1u, ns);
	else if (log_sample_state(sample->flags) != LOG_SAMPLE_READY)
		*stack = line_stack_begin_waiting(lines, ns);
	else
		return false;
	return true;
}

static void add_sample(struct thread *thread, const struct log_sample *sample, uint64_t offset, void *context)
{
	struct process *process = thread->process;
	struct sampled_lines *lines = context;
	const struct sampled_node *node = read_node(lines, sample->node);
	struct line_stack stack;

	if ((!process->header.samples_are_of_time && sample->flags & LOG_SAMPLE_IN_HOOK) ||
	    !nodes_path(thread, sample->node) || sample->ticks > process->limit_ticks ||
	    nodes_is_left_out(process, sample->node) || !begin_stack(process, sample, &stack))
		return;
	line_stack_add(&stack, code_place_at(process, sample->pc_addr, sample->ticks),
		       node ? node->function : NULL);
	while (node && node->parent) {
		node = read_node(lines, node->parent);
		if (node && node->place)
			line_stack_add(&stack, node->place, node->function);
	}
}

static bool is_called(const struct object *object, const char *name)
{
	return object && strncmp(path_base(object->path), name, strlen(name)) == 0;
}

static bool has_line(const struct code_place *place)
{
	return place && place->levels[place->nr - 1].line;
}

/* Runtimes have no lines in most cases: a block is allocated by the nearest code that has one. */
static void add_sampled_heap(struct tree_node *path, const struct heap_stats *stats,
			     const struct log_heap *heap, void *context)
{
	struct sampled_lines *lines = context;
	const struct sampled_node *node = read_node(lines, heap->node), *at = node;

	while (at && at->parent && !has_line(at->place))
		at = read_node(lines, at->parent);
	if (!at || !at->place)
		at = node;
	if (at && at->place)
		lines_add_heap(lines_of(lines->process->model), at->place->levels, at->place->nr,
			       at->function, stats);
}

/*
 * The time of the allocation is not known. If several objects were loaded there in turn, the path's counts.
 */
static struct code_place *place_of_caller(struct process *process, uint64_t caller_addr,
					  const struct object *object)
{
	const struct module *found = NULL;
	bool is_sure = true;

	for (size_t i = 0; i < process->nr_modules; i++) {
		const struct module *module = &process->modules[i];

		if (caller_addr - module->begin_addr >= module->end_addr - module->begin_addr ||
		    (found && found->object == object))
			continue;
		is_sure = !found || module->object == object;
		found = module;
	}
	return is_sure ? code_place_find(&lines_of(process->model)->places, process, found, caller_addr - 1)
		       : NULL;
}

static bool is_within(const struct code_place *place, const struct function *function)
{
	for (size_t i = 0; i < place->nr; i++)
		if (place->levels[i].function == function)
			return true;
	return false;
}

/* Blocks of a path with hooks. The caller's rest has what code without lines or without hooks allocates. */
static void add_heap(struct tree_node *path, const struct heap_stats *stats, const struct log_heap *heap,
		     void *context)
{
	struct process *process = ((struct sampled_lines *)context)->process;
	struct lines *lines = lines_of(process->model);
	const bool is_known = heap->caller_addr && !heap->has_many;
	struct code_level rest = { .file = NULL };
	struct code_place *place;

	while (path->function && path->function->region)
		path = path->parent;
	if (!path->function || path->function->kind != FUNCTION_PLAIN || !stats->alloc_calls)
		return;
	lines->nr_blocks += stats->alloc_calls;
	place = is_known ? place_of_caller(process, heap->caller_addr, path->function->object) : NULL;
	if (place && (!has_line(place) || is_called(place->object, LIBC)))
		place = NULL;
	if (place)
		lines_add_heap(lines, place->levels, place->nr, path->function, stats);
	if (place && is_within(place, path->function))
		return;
	resolve_source(path->function);
	rest.file = path->function->file;
	lines_add_heap(lines, &rest, 1, path->function, stats);
}

/* Pages that memset() or other code without a line touches belong to the line that the code returns to. */
static struct code_place *place_of_fault(struct code_place *place, struct code_place *caller)
{
	if (has_line(caller) && !is_called(caller->object, LIBC) &&
	    (!has_line(place) || is_called(place->object, LIBC)))
		return caller;
	return has_line(place) ? place : NULL;
}

/* The recorder's own memory is none of the program's. */
static void add_fault(struct process *process, const struct log_page_fault *fault)
{
	struct lines *lines = lines_of(process->model);
	const uint64_t bytes = fault->nr * process->header.page_bytes;
	struct code_place *place = code_place_at(process, fault->code_addr, fault->first_ticks);

	if (place && place->object && object_is_recorders(place->object))
		return;
	place = place_of_fault(place, code_place_at(process, fault->caller_addr - 1, fault->first_ticks));
	if (place && place->levels[place->nr - 1].function)
		lines_add_new(lines, place, NULL, bytes);
	else
		lines->new_elsewhere_bytes += bytes;
	lines->nr_faults += fault->nr;
}

static void read_faults(struct process *process, const struct log_extent *extent)
{
	const uint64_t head = sizeof(struct log_page_faults);
	struct log_page_fault fault;

	for (uint64_t at = head; at + sizeof(fault) <= extent->used_bytes; at += sizeof(fault)) {
		memcpy(&fault, process->log->base + extent->offset + at, sizeof(fault));
		if (fault.nr)
			add_fault(process, &fault);
	}
}

static void read_process(struct process *process)
{
	struct sampled_lines lines = { .process = process };

	if (process->is_saved || !process->log)
		return;
	samples_each(process, add_sample, &lines);
	if (heap_is_sampled(process))
		heaps_each(process, add_sampled_heap, &lines);
	else if (process->model->has_block_callers)
		heaps_each(process, add_heap, &lines);
	for (size_t i = 0; i < process->log->nr_extents; i++)
		if (process->log->extents[i].kind == LOG_AREA_PAGE_FAULTS)
			read_faults(process, &process->log->extents[i]);
	free(lines.nodes);
}

static bool has_faults(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->log && model->processes[i]->header.page_faults)
			return true;
	return false;
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

/* If some runs have counters and others none, counts are of the former, and all else is of the latter. */
static void read_runs(struct model *model)
{
	const bool are_beside = line_counts_are_beside(model);
	bool *is_read = xcalloc(model->nr_runs + 1, sizeof(*is_read));

	for (uint32_t run = 0; run < model->nr_runs; run++)
		is_read[run] = !are_beside || !line_counts_are_in(model, run);
	for (size_t i = 0; i < model->nr_processes; i++)
		if (is_read[model->processes[i]->run])
			read_process(model->processes[i]);
	name_functions(model->lines);
	if (calling_lines_are_in(model, NO_RUN))
		calling_lines_read(model, is_read);
	free(is_read);
}

/* Lines are missing then, or have no function. */
static void warn_of_damage(const struct model *model)
{
	for (const struct object *object = model->objects; object; object = object->next) {
		const struct symbols *symbols = object->naming ? object->naming->symbols : NULL;

		if (symbols && symbols_are_damaged(symbols))
			warning("%s: its debug information is damaged: lines of it may be missing",
				object->path);
	}
}

const struct lines *sampled_lines_read(struct model *model)
{
	if (!model->samples.nr && !samples_know_waits(model) && !model->heap.nr_samples &&
	    !line_counts_are_in(model, NO_RUN) && !calling_lines_are_in(model, NO_RUN) &&
	    !has_faults(model) && !model->has_block_callers)
		return NULL;
	if (lines_of(model)->are_read)
		return model->lines;
	model->lines->are_read = true;
	read_runs(model);
	name_functions(model->lines);
	line_counts_read(model);
	name_functions(model->lines);
	warn_of_damage(model);
	return model->lines;
}
