/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shares of runs. The tree has only sums, so they are differences. */
#include "analyzer/model/run_parts.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

/* The sums of a node before the run that was just added. */
struct node_before {
	struct run_part calls;
	struct heap_part heap;
};

/* A pair of caller and callee, in model->tables->edge_parts. */
struct edge_part {
	const struct function *caller;
	const struct function *function;
	uint32_t number;		/* in the order of first sight */
	struct run_part parts[];	/* [model->nr_runs] */
};

void part_add(void *sum, const void *part, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(double); i++)
		((double *)sum)[i] += ((const double *)part)[i];
}

/* The difference belongs to a run. @before becomes @now. */
static void take_part(double *more, double *before, const double *now, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(double); i++) {
		more[i] = now[i] - before[i];
		before[i] = now[i];
	}
}

static bool is_edge(const void *item, const void *key)
{
	const struct edge_part *edge = item, *wanted = key;

	return edge->caller == wanted->caller && edge->function == wanted->function;
}

static uint64_t edge_hash(const struct function *caller, const struct function *function)
{
	return hash_pair((uint64_t)(uintptr_t)caller, (uint64_t)(uintptr_t)function);
}

static struct edge_part *find_edge(struct model *model, const struct function *caller,
				   const struct function *function)
{
	const struct edge_part wanted = { .caller = caller, .function = function };
	uint64_t hash = edge_hash(caller, function);
	struct edge_part *edge = hashtable_find(&model->tables->edge_parts, hash, is_edge, &wanted);

	if (edge)
		return edge;
	edge = xcalloc(1, sizeof(*edge) + model->nr_runs * sizeof(*edge->parts));
	edge->caller = caller;
	edge->function = function;
	edge->number = (uint32_t)model->tables->edge_parts.nr_items;
	hashtable_add(&model->tables->edge_parts, hash, edge);
	return edge;
}

const struct run_part *parts_of_edge(const struct model *model, const struct function *caller,
				     const struct function *function)
{
	const struct edge_part wanted = { .caller = caller, .function = function };
	const struct edge_part *edge =
		hashtable_find(&model->tables->edge_parts, edge_hash(caller, function), is_edge, &wanted);

	return edge ? edge->parts : NULL;
}

void parts_add_edge(struct model *model, const struct function *caller, const struct function *function,
		    const struct run_part *parts, uint32_t first, size_t nr)
{
	struct edge_part *edge = find_edge(model, caller, function);

	for (size_t i = 0; i < nr; i++)
		part_add(&edge->parts[first + i], &parts[i], sizeof(*parts));
}

static struct heap_part *heap_part_of(const struct model *model, struct heap_part **parts, uint32_t run)
{
	if (!*parts)
		*parts = xcalloc(model->nr_runs, sizeof(**parts));
	return &(*parts)[run];
}

void parts_add_heap(const struct model *model, struct heap_part **sums, const struct heap_part *parts,
		    uint32_t first, size_t nr)
{
	for (size_t i = 0; parts && i < nr; i++)
		part_add(heap_part_of(model, sums, first + (uint32_t)i), &parts[i], sizeof(*parts));
}

void parts_add_cpu(const struct model *model, struct function *function, uint32_t run, double cpu_ns)
{
	if (!function->cpu_runs_ns) {
		function->cpu_runs_ns = xcalloc(model->nr_runs, sizeof(*function->cpu_runs_ns));
		for (size_t i = 0; i < model->nr_runs; i++)
			function->cpu_runs_ns[i] = NAN;
	}
	if (isnan(function->cpu_runs_ns[run]))
		function->cpu_runs_ns[run] = cpu_ns;
	else
		function->cpu_runs_ns[run] += cpu_ns;
}

double part_self_ns(const struct function *function, uint32_t run)
{
	const struct call_stats *stats = &function->stats;

	if (function->parts)
		return function->parts[run].self_ns;
	return call_stats_know_self(stats) || !stats->calls ? stats->self_ns : NAN;
}

double part_total_ns(const struct function *function, uint32_t run)
{
	const struct call_stats *stats = &function->stats;

	if (function->parts)
		return function->parts[run].total_ns;
	return call_stats_know_total(stats) || !stats->calls ? stats->total_ns : NAN;
}

double part_cpu_ns(const struct function *function, uint32_t run)
{
	const bool has_calls = function->parts ? function->parts[run].calls > 0 : function->stats.calls > 0;
	const double cpu_ns = function->cpu_runs_ns ? function->cpu_runs_ns[run] : NAN;

	return has_calls || !isnan(cpu_ns) ? cpu_ns : 0;	/* samples have no calls */
}

void parts_add_range(struct path_range *range, const struct path_range *more)
{
	double *min = (double *)&range->min, *max = (double *)&range->max;

	if (!more->nr_runs)
		return;
	if (!range->nr_runs) {
		*range = *more;
		return;
	}
	range->nr_runs += more->nr_runs;
	for (size_t i = 0; i < sizeof(range->min) / sizeof(*min); i++) {
		min[i] = fmin(min[i], ((const double *)&more->min)[i]);
		max[i] = fmax(max[i], ((const double *)&more->max)[i]);
	}
}

static void take_calls(struct node_before *before, const struct model *model, const struct tree_node *node,
		       uint32_t run, struct run_part *more)
{
	const struct run_part now = { (double)node->sum.calls, node->sum.self_ns - node->hooks.self_ns,
				      node->sum.total_ns - node->hooks.total_ns };

	take_part(&more->calls, &before->calls.calls, &now.calls, sizeof(now));
	if (more->calls > 0 && run != PARTS_KNOWN)
		parts_add_range(&model->ranges[node->id], &(struct path_range){ 1, *more, *more });
	else
		*more = (struct run_part){ 0 };
}

/* Within another path of the same key, the total time does not count. */
static void add_calls(struct run_part *sum, const struct run_part *more, bool is_outermost)
{
	sum->calls += more->calls;
	sum->self_ns += more->self_ns;
	sum->total_ns += is_outermost ? more->total_ns : 0;
}

static void take_heap(struct node_before *before, const struct model *model, const struct heap_stats *heap,
		      struct heap_part **parts, uint32_t run)
{
	const struct heap_part now = { (double)heap->alloc_calls, (double)heap->alloc_bytes,
				       (double)heap->peak_bytes, (double)heap->not_freed_bytes };
	struct heap_part more;

	take_part(&more.alloc_calls, &before->heap.alloc_calls, &now.alloc_calls, sizeof(now));
	if (more.alloc_calls > 0 && run != PARTS_KNOWN)
		part_add(heap_part_of(model, parts, run), &more, sizeof(more));
}

/* Add @parts, [id of a path], of @run to the functions. */
static void add_to_functions(struct model *model, const struct run_part *parts, uint32_t run)
{
	size_t nr_keys;
	uint32_t *keys = tree_function_keys(model, &nr_keys);
	struct tree_walk walk;

	tree_walk_begin(&walk, model, keys, nr_keys);
	while (tree_walk_next(&walk)) {
		struct function *function = walk.node->function;

		if (!(parts[walk.node->id].calls > 0))
			continue;
		if (!function->parts)
			function->parts = xcalloc(model->nr_runs, sizeof(*function->parts));
		add_calls(&function->parts[run], &parts[walk.node->id], walk.is_outermost);
	}
	free(keys);
}

/* Add them to the pairs of caller and callee. */
static void add_to_edges(struct model *model, const struct run_part *parts, uint32_t run)
{
	struct edge_part **edges = xcalloc(model->nr_tree_nodes, sizeof(struct edge_part *));
	uint32_t *keys = xcalloc(model->nr_tree_nodes, sizeof(*keys));
	struct tree_walk walk;

	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		edges[node->id] = find_edge(model, (node->starter ?: node->parent)->function,
					    node->function);
		keys[node->id] = edges[node->id]->number;
	}
	tree_walk_begin(&walk, model, keys, model->tables->edge_parts.nr_items);
	while (tree_walk_next(&walk))
		add_calls(&edges[walk.node->id]->parts[run], &parts[walk.node->id], walk.is_outermost);
	free(keys);
	free(edges);
}

static void take_nodes(struct parts *parts, struct model *model, uint32_t run)
{
	struct run_part *more = xcalloc(model->nr_tree_nodes, sizeof(*more));

	hook_costs_subtract(model);
	take_heap(&parts->before[0], model, model->root->heap, &model->outside_parts, run);
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		take_calls(&parts->before[node->id], model, node, run, &more[node->id]);
		take_heap(&parts->before[node->id], model, node->heap, &node->function->heap_parts, run);
	}
	if (run != PARTS_KNOWN) {
		add_to_functions(model, more, run);
		add_to_edges(model, more, run);
	}
	free(more);
}

void parts_take(struct parts *parts, struct model *model, uint32_t run)
{
	struct node_before *before = xcalloc(model->nr_tree_nodes, sizeof(*before));
	struct path_range *ranges = xcalloc(model->nr_tree_nodes, sizeof(*ranges));

	for (size_t i = 0; i < model->nr_ranges; i++) {
		before[i] = parts->before[i];
		ranges[i] = model->ranges[i];
	}
	free(parts->before);
	free(model->ranges);
	parts->before = before;
	model->ranges = ranges;
	model->nr_ranges = model->nr_tree_nodes;
	take_nodes(parts, model, run);
}

void parts_release(struct parts *parts)
{
	free(parts->before);
}

struct part_range parts_range(const void *parts, size_t bytes, size_t which, size_t nr_runs)
{
	struct part_range range = { NAN, 0, NAN };

	for (size_t i = 0; i < nr_runs; i++) {
		double number = parts ? ((const double *)((const char *)parts + i * bytes))[which] : 0;

		range.min = fmin(range.min, number);
		range.max = fmax(range.max, number);
		range.mean += number / (double)nr_runs;
	}
	return range;
}

struct path_range parts_of_path(const struct model *model, const struct tree_node *node)
{
	return node->id < model->nr_ranges ? model->ranges[node->id] : (struct path_range){ 0 };
}

struct part_range parts_path_range(const struct model *model, const struct tree_node *node, size_t which)
{
	const struct path_range range = parts_of_path(model, node);
	const struct call_stats stats = path_stats(node);
	const double sums[] = { (double)stats.calls, stats.self_ns, stats.total_ns };

	return (struct part_range){ range.nr_runs < model->nr_runs ? 0 : (&range.min.calls)[which],
				    sums[which] / (double)model->nr_runs, (&range.max.calls)[which] };
}
