/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged call tree. It may be as deep as the program's recursion, so nothing here recurses. */
#include "analyzer/model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/tree_walk.h"

/* What a path has that allocated nothing and met no samples. */
static const struct heap_stats no_heap;
static const struct sample_stats no_samples;

struct path {
	const struct tree_node *parent;
	const struct function *function;
};

static bool is_child(const void *item, const void *key)
{
	const struct tree_node *node = item;
	const struct path *path = key;

	return node->parent == path->parent && node->function == path->function;
}

static struct tree_node *new_node(struct model *model)
{
	size_t id = model->nr_tree_nodes++;
	struct tree_node *node;

	if (id % TREE_CHUNK == 0) {
		model->tree_chunks = xgrow(model->tree_chunks, model->nr_tree_chunks, sizeof(*model->tree_chunks));
		model->tree_chunks[model->nr_tree_chunks++] = xcalloc(TREE_CHUNK, sizeof(*node));
	}
	node = tree_node(model, id);
	node->id = (uint32_t)id;
	node->stats.min_ns = node->stats.max_ns = node->stats.finished_max_ns = NAN;
	node->heap = &no_heap;
	node->samples = &no_samples;
	return node;
}

void tree_init(struct model *model)
{
	model->root = new_node(model);
}

void tree_release(struct model *model)
{
	for (size_t id = 0; id < model->nr_tree_nodes; id++) {
		const struct tree_node *node = tree_node(model, id);

		if (node->heap != &no_heap)
			free((void *)node->heap);
		if (node->samples != &no_samples)
			free((void *)node->samples);
	}
	for (size_t i = 0; i < model->nr_tree_chunks; i++)
		free(model->tree_chunks[i]);
	free(model->tree_chunks);
	hashtable_forget(&model->tables->paths);
}

struct tree_node *tree_child(struct model *model, struct tree_node *parent, struct function *function)
{
	struct path path = { parent, function };
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)parent, (uint64_t)(uintptr_t)function);
	struct tree_node *node = hashtable_find(&model->tables->paths, hash, is_child, &path);

	if (node)
		return node;
	node = new_node(model);
	node->function = function;
	node->parent = parent;
	node->next = parent->child;
	parent->child = node;
	node->depth = parent->depth + 1;
	hashtable_add(&model->tables->paths, hash, node);
	return node;
}

struct tree_node *tree_others(struct model *model)
{
	return tree_child(model, model->root, &model->tables->functions.others);
}

void heap_stats_add(struct heap_stats *sum, const struct heap_stats *heap)
{
	sum->alloc_calls += heap->alloc_calls;
	sum->alloc_bytes += heap->alloc_bytes;
	sum->free_calls += heap->free_calls;
	sum->freed_bytes += heap->freed_bytes;
	sum->failed_calls += heap->failed_calls;
	if (sum->largest_bytes < heap->largest_bytes)
		sum->largest_bytes = heap->largest_bytes;
	sum->temporary_calls += heap->temporary_calls;
	sum->peak_calls += heap->peak_calls;
	sum->peak_bytes += heap->peak_bytes;
	sum->not_freed_calls += heap->not_freed_calls;
	sum->not_freed_bytes += heap->not_freed_bytes;
	sum->runtime_bytes += heap->runtime_bytes;
	sum->live_records += heap->live_records;
	sum->nr_samples += heap->nr_samples;
	sum->alloc_variance_bytes2 += heap->alloc_variance_bytes2;
	sum->peak_variance_bytes2 += heap->peak_variance_bytes2;
	sum->not_freed_variance_bytes2 += heap->not_freed_variance_bytes2;
}

void sample_stats_add(struct sample_stats *sum, const struct sample_stats *samples)
{
	sum->nr += samples->nr;
	sum->in_hooks += samples->in_hooks;
	sum->missed += samples->missed;
	sum->ns += samples->ns;
	sum->hooks_ns += samples->hooks_ns;
}

void tree_add_heap(struct tree_node *node, const struct heap_stats *heap)
{
	if (memcmp(heap, &no_heap, sizeof(no_heap)) == 0)
		return;
	if (node->heap == &no_heap)
		node->heap = xcalloc(1, sizeof(*node->heap));
	heap_stats_add((struct heap_stats *)node->heap, heap);
}

struct sample_stats *tree_samples(struct tree_node *node)
{
	if (node->samples == &no_samples)
		node->samples = xcalloc(1, sizeof(*node->samples));
	return (struct sample_stats *)node->samples;
}

void tree_add_samples(struct tree_node *node, const struct sample_stats *samples)
{
	if (memcmp(samples, &no_samples, sizeof(no_samples)) != 0)
		sample_stats_add(tree_samples(node), samples);
}

void call_stats_add(struct call_stats *sum, const struct call_stats *stats)
{
	sum->calls += stats->calls;
	sum->open_calls += stats->open_calls;
	sum->timed_calls += stats->timed_calls;
	sum->known_calls += stats->known_calls;
	sum->self_ns += stats->self_ns;
	sum->duration_ns += stats->duration_ns;
	sum->open_ns += stats->open_ns;
	sum->square_ns2 += stats->square_ns2;
	sum->self_variance_ns2 += stats->self_variance_ns2;
	sum->inside_ns += stats->inside_ns;
	sum->hooks_ns += stats->hooks_ns;
	sum->removed_self_ns += stats->removed_self_ns;
	sum->removed_ns += stats->removed_ns;
	sum->noise_ns += stats->noise_ns;
	sum->new_paths_ns += stats->new_paths_ns;
	sum->self_doubt_ns += stats->self_doubt_ns;
	sum->min_ns = fmin(sum->min_ns, stats->min_ns);		/* the other one where one is NAN */
	sum->max_ns = fmax(sum->max_ns, stats->max_ns);
	sum->finished_max_ns = fmax(sum->finished_max_ns, stats->finished_max_ns);
}

void call_stats_add_total(struct call_stats *sum, const struct call_stats *stats)
{
	sum->total_ns += stats->total_ns;
	sum->total_variance_ns2 += stats->total_variance_ns2;
	sum->total_doubt_ns += stats->total_doubt_ns;
}

static void add_function(struct model *model, struct function *function)
{
	model->functions = xgrow(model->functions, model->nr_known_functions, sizeof(*model->functions));
	model->functions[model->nr_known_functions++] = function;
	function->is_listed = true;
}

/* A function's total time counts once per outermost call: a node below one of its own adds nothing. */
static void enter_node(struct model *model, struct tree_node *node, const struct function *others)
{
	struct function *function = node->function;

	if (!function->is_listed && (node->stats.calls || (model->is_sampled && node->samples->total_nr)))
		add_function(model, function);
	call_stats_add(&function->stats, &node->stats);
	heap_stats_add(&function->heap, node->heap);
	sample_stats_add(&function->samples, node->samples);
	if (function->on_path++ == 0) {
		call_stats_add_total(&function->stats, &node->stats);
		function->primitive_calls += node->stats.calls;
		function->samples.total_nr += node->samples->total_nr;
		function->samples.total_ns += node->samples->total_ns;
	}
	if (others->on_path && function != others && node->stats.calls)
		function->total_is_bound = true;
	if (node->parent->function)
		node->parent->function->child_calls += node->stats.calls;
	function->nr_nodes++;
	model->calls += node->stats.calls;
	model->functions_ns += node->stats.self_ns;
	model->hooks_ns += node->stats.hooks_ns;
	sample_stats_add(&model->samples, node->samples);
}

struct tree_node *tree_step_over(struct tree_node *node)
{
	while (node->function) {
		node->function->on_path--;
		if (node->next)
			return node->next;
		node = node->parent;
	}
	return NULL;
}

/* Self time is a difference: the estimates of a path and of those that it calls are independent. */
static void add_variances(struct model *model)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		node->stats.self_variance_ns2 += node->stats.total_variance_ns2;
		node->parent->stats.self_variance_ns2 += node->stats.total_variance_ns2;
	}
}

void tree_sum_up(struct model *model)
{
	const struct function *others = &model->tables->functions.others;
	struct tree_node *node = model->root->child;

	hashtable_forget(&model->tables->paths);
	add_variances(model);
	hook_costs_take_out(model);
	heap_stats_add(&model->heap, model->root->heap);
	while (node) {
		enter_node(model, node, others);
		heap_stats_add(&model->heap, node->heap);
		node = node->child ? node->child : tree_step_over(node);
	}
	model->nr_functions = model->nr_known_functions;
	for (node = tree_next(model->root); node && model->heap.nr_samples; node = tree_next(node))
		if (!node->function->is_listed)
			add_function(model, node->function);
}
