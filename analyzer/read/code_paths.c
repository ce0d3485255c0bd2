/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/code_paths.h"

#include "analyzer/lines/lines.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/selection.h"
#include "analyzer/model/tree.h"

struct code_place *code_place_of(struct process *process, const struct log_node *node)
{
	if (!(node->function_addr & LOG_FUNCTION_CODE))
		return NULL;
	return code_place_find(&lines_of(process->model)->places, process,
			       module_of_node(process, node->function_addr),
			       node->function_addr & ~LOG_FUNCTION_FLAGS);
}

struct code_place *code_place_at(struct process *process, uint64_t addr, uint64_t ticks)
{
	return code_place_find(&lines_of(process->model)->places, process, module_at(process, addr, ticks),
			       addr);
}

/* @path, and on it the functions that are inlined at @place (NULL: none), as far as they are reported. */
static struct tree_node *code_path_inlined(struct thread *thread, struct code_place *place,
					   struct tree_node *path)
{
	struct model *model = thread->process->model;

	for (size_t i = 1; place && i < place->nr; i++) {
		struct function *function = place->levels[i].function;

		if (!selection_keeps(model, path, function))
			continue;
		tree_add_thread(path, thread);
		path = tree_child(model, path, function);
		path->was_inlined = function->was_inlined = true;
	}
	return path;
}

struct tree_node *code_path(struct thread *thread, const struct log_node *node, struct tree_node *path)
{
	return code_path_inlined(thread, code_place_of(thread->process, node), path);
}

/*
 * How many of the place's functions the path contains already: those up to the last one that the path ends
 * in. A path may end in none of them: hooks do not know the called function, or the compiler made a clone of
 * it, or a region began in it. The function around a region is not repeated below it.
 */
static size_t count_known(const struct code_place *place, const struct function *last)
{
	for (size_t nr = place->nr; nr; nr--)
		if (place->levels[nr - 1].function == last)
			return nr;
	return last && last->region ? 1 : 0;
}

static struct function *function_of(struct thread *thread, uint32_t node_ref)
{
	struct process *process = thread->process;
	struct log_node node;

	if (node_ref == thread->ref + (offsetof(struct log_thread, root) >> LOG_REF_SHIFT))
		return NULL;
	logfile_node(process->log, (uint64_t)node_ref << LOG_REF_SHIFT, &node);
	return function_find(&process->model->tables->functions, process, log_node_function(&node));
}

/* Does a node stand for a stack, rather than for calls that hooks saw? */
static bool is_of_stack(const struct thread *thread, uint32_t node_ref)
{
	const struct process *process = thread->process;
	struct log_node node, caller;

	logfile_node(process->log, (uint64_t)node_ref << LOG_REF_SHIFT, &node);
	if (!node.parent || node.parent >= node_ref || logfile_node_index(process->log, node.parent) < 0 ||
	    node.function_addr & (LOG_FUNCTION_OTHERS | LOG_FUNCTION_REGION))
		return false;
	logfile_node(process->log, (uint64_t)node.parent << LOG_REF_SHIFT, &caller);
	return caller.function_addr & LOG_FUNCTION_CODE ||
	       (!process->header.has_hooks &&
		(!caller.function_addr || caller.function_addr & LOG_FUNCTION_OTHERS));
}

struct tree_node *sampled_code_path(struct thread *thread, const struct log_sample *sample,
				    struct tree_node *path)
{
	struct process *process = thread->process;
	const bool is_auto = process->header.timing == LOG_TIMING_AUTO && process->nr_counted;
	const bool has_stack = is_of_stack(thread, sample->node);
	struct code_place *place =
		is_auto || has_stack ? code_place_at(process, sample->pc_addr, sample->ticks) : NULL;
	const struct function *last = function_of(thread, sample->node);

	if (!place || has_stack)
		return code_path_inlined(thread, place, path);
	if (last && last->kind != FUNCTION_PLAIN)
		return path;
	for (size_t i = count_known(place, last); i < place->nr; i++) {
		struct function *function = place->levels[i].function;

		if (!function || !function->is_counted || !selection_keeps(process->model, path, function))
			continue;
		path = tree_child(process->model, path, function);
		tree_add_thread(path, thread);
	}
	return path;
}
