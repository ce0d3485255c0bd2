/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/counted/counted_calls.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/counted/counted_times.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

#define LACKS_CALLS	UINT32_MAX

bool counted_calls_find(const struct model *model)
{
	bool is_any = false;

	for (size_t id = 1; id < model->nr_tree_nodes; id++)
		tree_node(model, id)->function->is_counted = false;
	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		const struct tree_node *node = tree_node(model, id);

		node->function->is_counted |= node->rare->counted_calls > 0;
		is_any |= node->function->is_counted || node->samples->stubs_ns > 0;
	}
	return is_any;
}

static void move_calls(struct tree_node *to, struct tree_node *from)
{
	struct rare_counters *rare = rare_counters_of(&to->rare), *left = rare_counters_of(&from->rare);

	to->sum.calls += from->sum.calls;
	rare->counted_calls += left->counted_calls;
	rare->more_known_calls += left->more_known_calls;
	from->sum.calls = 0;
	*left = no_rare_counters;
}

/*
 * Did anything happen there? The recorder also makes a path from a recorded function to a counted one when it
 * finds others in between.
 */
static bool is_used(const struct tree_node *node)
{
	return node->sum.calls || node->samples->total_nr || node->child;
}

/* The number of paths of each function, and its last one. Return: "(counted calls)", or NULL */
static struct tree_node *find_paths(const struct model *model, uint32_t *nr_paths, uint32_t *last)
{
	struct tree_node *counters = NULL;

	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		struct tree_node *node = tree_node(model, id);

		if (node->function->kind == FUNCTION_COUNTED)
			counters = node;
		if (tree_is_of_counters(node) || !is_used(node))
			continue;
		nr_paths[node->function->number]++;
		last[node->function->number] = (uint32_t)id;
	}
	return counters;
}

void counted_calls_place(struct model *model)
{
	size_t nr = functions_count(&model->tables->functions) + 1;
	uint32_t *nr_paths = xcalloc(nr, sizeof(*nr_paths)), *last = xcalloc(nr, sizeof(*last));
	struct tree_node *counters = find_paths(model, nr_paths, last);

	for (struct tree_node *node = counters ? counters->child : NULL; node; node = node->next) {
		uint32_t number = node->function->number;

		if (nr_paths[number] == 1 &&
		    tree_node(model, last[number])->samples->nr >= COUNTED_LEAST_SAMPLES)
			move_calls(tree_node(model, last[number]), node);
		else if (node->sum.calls)
			last[number] = LACKS_CALLS;
	}
	for (size_t id = 1; counters && id < model->nr_tree_nodes; id++) {
		struct tree_node *node = tree_node(model, id);

		if (last[node->function->number] == LACKS_CALLS && !tree_is_of_counters(node))
			rare_counters_of(&node->rare)->lacks_calls = true;
	}
	free(nr_paths);
	free(last);
}
