/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/code_paths.h"

#include "analyzer/lines/lines.h"
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

struct tree_node *code_path_inlined(struct thread *thread, struct code_place *place, struct tree_node *path)
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
