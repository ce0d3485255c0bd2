/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two runs side by side. */
#include "analyzer/cells/diff.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/run_parts.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

/* If only one run has a second function of the name, only that run distinguishes them: sources decide. */
static bool same_source(struct function *a, struct function *b)
{
	if (!a->object || !b->object || strcmp(path_base(a->object->path), path_base(b->object->path)) != 0)
		return false;
	resolve_source(a);
	resolve_source(b);
	return a->file ? b->file && strcmp(path_base(a->file), path_base(b->file)) == 0 : !b->file;
}

static bool is_same(const void *item, const void *key)
{
	struct function *its = ((const struct diff_function *)item)->function;
	struct function *wanted = (struct function *)key;

	if (strcmp(its->name, wanted->name) != 0)
		return false;
	if (its->apart && wanted->apart)
		return strcmp(its->apart, wanted->apart) == 0;
	return (!its->apart && !wanted->apart) || same_source(its, wanted);
}

static struct diff_function *find_function(struct diff *diff, struct function *function)
{
	uint64_t hash = hash_string(function->name);
	struct diff_function *found = hashtable_find(&diff->by_name, hash, is_same, function);

	if (found)
		return found;
	found = xcalloc(1, sizeof(*found));
	found->function = function;
	hashtable_add(&diff->by_name, hash, found);
	return APPEND(diff->functions, diff->nr_functions) = found;
}

static bool is_path(const void *item, const void *key)
{
	const struct diff_path *its = item, *wanted = key;

	return its->parent == wanted->parent && its->function == wanted->function;
}

static struct diff_path *find_path(struct diff *diff, const struct diff_path *parent,
				   const struct diff_function *function)
{
	struct diff_path wanted = { .parent = parent, .function = function };
	uint64_t hash = hash_pair((uintptr_t)parent, (uintptr_t)function);
	struct diff_path *found = hashtable_find(&diff->by_place, hash, is_path, &wanted);

	if (found)
		return found;
	found = xcalloc(1, sizeof(*found));
	*found = wanted;
	found->number = (uint32_t)diff->nr_paths;
	hashtable_add(&diff->by_place, hash, found);
	return APPEND(diff->paths, diff->nr_paths) = found;
}

static void add(struct diff_side *side, const struct call_stats *stats, const struct heap_stats *heap)
{
	if (!side->is_there)
		side->stats = (struct call_stats)NO_CALLS;
	side->is_there = true;
	call_stats_add(&side->stats, stats);
	call_stats_add_total(&side->stats, stats);
	side->stats.lacks_calls |= stats->lacks_calls;
	heap_stats_add(&side->heap, heap);
}

/* A function's times in each run. */
static void add_runs(struct diff_side *side, const struct model *model, const struct function *function)
{
	if (model->nr_parts != model->nr_runs ||
	    (model->nr_runs > 1 && !function->parts && !function->cpu_runs_ns))
		return;
	if (!side->self_runs_ns) {
		side->self_runs_ns = xcalloc(model->nr_runs, sizeof(*side->self_runs_ns));
		side->total_runs_ns = xcalloc(model->nr_runs, sizeof(*side->total_runs_ns));
		side->cpu_runs_ns = xcalloc(model->nr_runs, sizeof(*side->cpu_runs_ns));
	}
	for (uint32_t run = 0; run < model->nr_runs; run++) {
		double self_ns = part_self_ns(function, run), total_ns = part_total_ns(function, run);

		side->self_runs_ns[run] += self_ns < 0 ? 0 : self_ns;	/* or NAN */
		side->total_runs_ns[run] += total_ns < 0 ? 0 : total_ns;
		side->cpu_runs_ns[run] += part_cpu_ns(function, run);
	}
}

static void add_functions(struct diff *diff, const struct model *model, size_t side)
{
	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct function *function = model->functions[i];

		struct diff_side *of = &find_function(diff, model->functions[i])->sides[side];

		add(of, &function->stats, &function->heap);
		add_runs(of, model, function);
	}
}

static void add_paths(struct diff *diff, const struct model *model, size_t side)
{
	struct diff_path **path_of = xcalloc(model->nr_tree_nodes, sizeof(struct diff_path *));

	for (struct tree_node *node = model->root; node; node = tree_next(node)) {
		const struct diff_path *parent = node->parent ? path_of[node->parent->id] : NULL;
		const struct call_stats stats = path_stats(node);
		struct diff_path *path =
			find_path(diff, parent, node->function ? find_function(diff, node->function) : NULL);

		path_of[node->id] = path;
		add(&path->sides[side], &stats, node->heap);
		if (side == DIFF_AFTER && !path->node)
			path->node = node;
	}
	free(path_of);
}

bool diff_path_is_of_counters(const struct diff_path *path)
{
	return path->function && (path->function->function->kind == FUNCTION_COUNTED ||
				  (path->parent->function &&
				   path->parent->function->function->kind == FUNCTION_COUNTED));
}

void diff_init(struct diff *diff, const struct model *before, const struct model *after)
{
	memset(diff, 0, sizeof(*diff));
	add_functions(diff, after, DIFF_AFTER); /* first: names and places are those of the later run */
	add_functions(diff, before, DIFF_BEFORE);
	add_paths(diff, after, DIFF_AFTER);
	add_paths(diff, before, DIFF_BEFORE);
}

void diff_release(struct diff *diff)
{
	for (size_t i = 0; i < diff->nr_functions; i++)
		for (size_t side = 0; side < DIFF_SIDES; side++) {
			free(diff->functions[i]->sides[side].self_runs_ns);
			free(diff->functions[i]->sides[side].total_runs_ns);
			free(diff->functions[i]->sides[side].cpu_runs_ns);
		}
	hashtable_release(&diff->by_name);
	hashtable_release(&diff->by_place);
	free(diff->functions);
	free(diff->paths);
}
