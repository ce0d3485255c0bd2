/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged call tree. A recursion may make it very deep, so nothing here recurses. */
#include "analyzer/model/tree.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/tree_walk.h"

/* Shared by all paths that allocated nothing and have no samples. */
static const struct heap_stats no_heap;
static const struct sample_stats no_samples;

struct path {
	const struct tree_node *parent, *starter;
	const struct function *function;
};

static bool is_child(const void *item, const void *key)
{
	const struct tree_node *node = item;
	const struct path *path = key;

	return node->parent == path->parent && node->function == path->function &&
	       node->starter == path->starter;
}

static struct tree_node *new_node(struct model *model)
{
	size_t id = model->nr_tree_nodes++;
	struct tree_node *node;

	if (id % TREE_CHUNK == 0)
		APPEND(model->tree_chunks, model->nr_tree_chunks) = xcalloc(TREE_CHUNK, sizeof(*node));
	node = tree_node(model, id);
	node->id = (uint32_t)id;
	node->sum.min_ns = node->sum.max_ns = NAN;
	node->heap = &no_heap;
	node->samples = &no_samples;
	node->rare = &no_rare_counters;
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
		if (node->rare != &no_rare_counters)
			free((void *)node->rare);
	}
	for (size_t i = 0; i < model->nr_tree_chunks; i++)
		free(model->tree_chunks[i]);
	free(model->tree_chunks);
	hashtable_forget(&model->tables->paths);
}

static struct tree_node *find_or_make(struct model *model, struct tree_node *parent,
				      struct tree_node *starter, struct function *function)
{
	struct path path = { parent, starter, function };
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)(starter ?: parent), (uint64_t)(uintptr_t)function);
	struct tree_node *node = hashtable_find(&model->tables->paths, hash, is_child, &path);

	if (node)
		return node;
	node = new_node(model);
	node->function = function;
	node->parent = parent;
	node->starter = starter;
	node->next = parent->child;
	parent->child = node;
	node->depth = parent->depth + 1;
	hashtable_add(&model->tables->paths, hash, node);
	return node;
}

struct tree_node *tree_child(struct model *model, struct tree_node *parent, struct function *function)
{
	return find_or_make(model, parent, NULL, function);
}

struct tree_node *tree_team(struct model *model, struct tree_node *starter, struct function *function)
{
	return find_or_make(model, model->root, starter, function);
}

/* Take the parts of teams out of the root's list. Return: were there any? */
static bool move_teams(struct model *model)
{
	struct tree_node **link = &model->root->child, *node;
	bool are_there = false;

	while ((node = *link)) {
		if (!node->starter) {
			link = &node->next;
			continue;
		}
		are_there = true;
		*link = node->next;
		node->parent = node->starter;
		node->next = node->parent->child;
		node->parent->child = node;
	}
	return are_there;
}

void tree_hang_teams(struct model *model)
{
	if (!move_teams(model))
		return;
	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		struct tree_node *node = tree_node(model, id);

		node->depth = node->parent->depth + 1;
		node->starter_depth = node->starter ? node->parent->depth : node->parent->starter_depth;
	}
}

bool *tree_in_regions(const struct model *model)
{
	bool *is_in = NULL;

	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		const struct tree_node *body = tree_node(model, id), *others = body->parent, *own;

		if (!others->function || others->function->made_up != MADE_UP_TEAM)
			continue;
		if (!is_in)
			is_in = xcalloc(model->nr_tree_nodes, sizeof(*is_in));
		for (own = others->parent->child; own; own = own->next)
			is_in[own->id] |= own->function == body->function;
	}
	for (size_t id = 1; is_in && id < model->nr_tree_nodes; id++)
		is_in[id] |= is_in[tree_node(model, id)->parent->id];
	return is_in;
}

struct tree_node *tree_counted(struct model *model)
{
	return tree_child(model, model->root, &model->tables->functions.counted);
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
	sum->stubs_ns += samples->stubs_ns;
	sum->kernel_ns += samples->kernel_ns;
	sum->waiting_ns += samples->waiting_ns;
	sum->ready_ns += samples->ready_ns;
}

void tree_add_calls(struct tree_node *node, const struct call_stats *calls)
{
	bool is_open = calls->open_calls || calls->open_ns > 0 ||
		       (!isnan(calls->max_ns) && calls->max_ns != calls->finished_max_ns);
	struct rare_counters *rare;

	counters_add(&node->sum, calls);
	if (!is_open && calls->known_calls == calls->timed_calls && !(calls->total_variance_ns2 > 0))
		return;
	rare = rare_counters_of(&node->rare);
	rare->open_calls += calls->open_calls;
	rare->counted_calls += calls->counted_calls;
	rare->more_known_calls += (int64_t)(calls->known_calls - calls->timed_calls);
	rare->open_ns += calls->open_ns;
	if (is_open)
		rare->open_max_ns = fmax(rare->open_max_ns, calls->max_ns);
	rare->total_variance_ns2 += calls->total_variance_ns2;
}

struct function_time tree_add_recorded(struct model *model, struct tree_node *node,
				       const struct call_stats *calls, bool left_out, bool is_outermost)
{
	struct selection *selection = &model->selection;
	double inside_ns = model->is_raw ? 0 : calls->inside_ns,
	       hooks_ns = model->is_raw ? 0 : calls->hooks_ns;

	if (!left_out) {
		tree_add_calls(node, calls);
		if (node->parent != model->root)
			return (struct function_time){ calls->self_ns, hooks_ns };
		if (!is_outermost)	/* the rest of the cost is in its caller's time */
			selection->outside_ns -= hooks_ns - inside_ns;
		return (struct function_time){ calls->self_ns, inside_ns };
	}
	if (!node->function) {
		selection->outside_calls += calls->calls;
		selection->outside_ns += calls->self_ns - (is_outermost ? inside_ns : hooks_ns);
		model->hooks_ns += calls->hooks_ns;
		model->hooks_noise_ns += calls->noise_ns;
		return (struct function_time){ 0 };
	}
	selection->inside_calls += calls->calls;
	node->sum.self_ns += calls->self_ns;
	node->sum.cost.inside_ns += calls->hooks_ns;	/* all of it is in the time of the call that they
							 * are counted for */
	node->sum.cost.hooks_ns += calls->hooks_ns;
	node->sum.cost.noise_ns += calls->noise_ns + calls->new_paths_ns;
	return (struct function_time){ calls->self_ns, hooks_ns };
}

void tree_add_thread(struct tree_node *node, struct thread *thread)
{
	if (node->last_thread == thread_number(thread) + 1)
		return;
	node->last_thread = thread_number(thread) + 1;
	node->nr_threads++;
	node->threads_unknown |= thread->nr_threads > 1;
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

static void add_function(struct model *model, bool *is_listed, struct function *function)
{
	if (is_listed[function->number])
		return;
	is_listed[function->number] = true;
	APPEND(model->functions, model->nr_known_functions) = function;
}

void tree_walk_begin(struct tree_walk *walk, const struct model *model, const uint32_t *keys, size_t nr_keys)
{
	*walk = (struct tree_walk){ .node = model->root,
				    .keys = keys,
				    .open = xcalloc(nr_keys + 1, sizeof(*walk->open)) };
}

/* A thread's part of a parallel region is within no call of another thread. */
static bool is_outermost(const struct tree_walk *walk)
{
	const struct tree_node *above = walk->node;
	const uint32_t key = walk->keys[above->id];

	if (!walk->open[key] || !above->starter_depth)
		return !walk->open[key];
	while (!above->starter && above->parent) {
		above = above->parent;
		if (above->parent && walk->keys[above->id] == key)
			return false;
	}
	return true;
}

bool tree_walk_next(struct tree_walk *walk)
{
	struct tree_node *node = walk->node;

	if (node->child) {
		node = node->child;
	} else {
		for (; node->parent; node = node->parent) {
			walk->open[walk->keys[node->id]]--;
			if (node->next)
				break;
		}
		node = node->next;
	}
	walk->node = node;
	if (!node) {
		free(walk->open);
		return false;
	}
	walk->is_outermost = is_outermost(walk);
	walk->open[walk->keys[node->id]]++;
	return true;
}

uint32_t *tree_function_keys(const struct model *model, size_t *nr_keys)
{
	uint32_t *keys = xcalloc(model->nr_tree_nodes, sizeof(*keys));

	for (size_t id = 1; id < model->nr_tree_nodes; id++)
		keys[id] = tree_node(model, id)->function->number;
	*nr_keys = functions_count(&model->tables->functions);
	return keys;
}

bool *tree_find_outermost(const struct model *model)
{
	bool *is_outermost = xcalloc(model->nr_tree_nodes, sizeof(*is_outermost));
	struct tree_walk walk;
	size_t nr_keys;
	uint32_t *keys = tree_function_keys(model, &nr_keys);

	tree_walk_begin(&walk, model, keys, nr_keys);
	is_outermost[model->root->id] = true;
	while (tree_walk_next(&walk))
		is_outermost[walk.node->id] = walk.is_outermost;
	free(keys);
	return is_outermost;
}

static void add_path(struct model *model, bool *is_listed, const struct tree_node *node, bool is_outermost)
{
	const struct call_stats stats = path_stats(node);
	struct function *function = node->function;

	if (stats.calls || (model->is_sampled && sample_stats_exist(node->samples)))
		add_function(model, is_listed, function);
	call_stats_add(&function->stats, &stats);
	heap_stats_add(&function->heap, node->heap);
	sample_stats_add(&function->samples, node->samples);
	if (is_outermost) {
		call_stats_add_total(&function->stats, &stats);
		function->primitive_calls += stats.calls;
		function->samples.total_nr += node->samples->total_nr;
		function->samples.total_ns += node->samples->total_ns;
		function->samples.total_kernel_ns += node->samples->total_kernel_ns;
		function->samples.total_waiting_ns += node->samples->total_waiting_ns;
		function->samples.total_ready_ns += node->samples->total_ready_ns;
	}
	function->nr_nodes++;
	model->calls += stats.calls;
	model->functions_ns += stats.self_ns;
	model->hooks_ns += stats.hooks_ns;
	model->hooks_noise_ns += stats.noise_ns;
	sample_stats_add(&model->samples, node->samples);
	heap_stats_add(&model->heap, node->heap);
}

static void add_paths(struct model *model, bool *is_listed)
{
	const struct function *others = &model->tables->functions.others;
	struct tree_walk walk;
	bool is_below_others = false;
	size_t nr_keys;
	uint32_t *keys = tree_function_keys(model, &nr_keys);

	tree_walk_begin(&walk, model, keys, nr_keys);
	while (tree_walk_next(&walk)) {
		struct function *function = walk.node->function;

		if (walk.node->depth == 1)
			is_below_others = function == others;
		add_path(model, is_listed, walk.node, walk.is_outermost);
		if (is_below_others && function != others && walk.node->sum.calls)
			function->total_is_bound = true;
	}
	free(keys);
}

/* Self time is a difference. The estimates of a path and of its callees are independent. */
void tree_add_variances(struct model *model)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		if (!(node->rare->total_variance_ns2 > 0))
			continue;
		rare_counters_of(&node->rare)->self_variance_ns2 += node->rare->total_variance_ns2;
		rare_counters_of(&node->parent->rare)->self_variance_ns2 += node->rare->total_variance_ns2;
	}
}

void tree_sum_up(struct model *model)
{
	/* [number]: in model->functions */
	bool *is_listed = xcalloc(functions_count(&model->tables->functions), sizeof(*is_listed));

	hashtable_forget(&model->tables->paths);
	heap_stats_add(&model->heap, model->root->heap);
	add_paths(model, is_listed);
	model->nr_functions = model->nr_known_functions;
	for (struct tree_node *node = tree_next(model->root); node && model->heap.nr_samples;
	     node = tree_next(node))
		add_function(model, is_listed, node->function);
	free(is_listed);
}
