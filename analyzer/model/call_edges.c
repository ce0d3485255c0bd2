/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls between functions. The tree may be as deep as the program's recursion, so nothing here recurses. */
#include "analyzer/model/call_edges.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

/* An item of the hash table. Items are not pointers into the list, which may move while it grows. */
struct known_edge {
	const struct function *caller;
	const struct function *function;
	uint32_t index;
};

static bool is_of_counters(const struct edge *edge)
{
	return edge->caller && edge->caller->kind == FUNCTION_COUNTED;
}

static bool is_edge(const void *item, const void *key)
{
	const struct known_edge *known = item, *wanted = key;

	return known->caller == wanted->caller && known->function == wanted->function;
}

static uint32_t find_edge(struct edges *edges, struct hashtable *table, struct function *caller,
			  struct function *function)
{
	struct known_edge wanted = { caller, function, (uint32_t)edges->nr }, *known;
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)wanted.caller, (uint64_t)(uintptr_t)wanted.function);

	known = hashtable_find(table, hash, is_edge, &wanted);
	if (known)
		return known->index;
	known = xcalloc(1, sizeof(*known));
	*known = wanted;
	hashtable_add(table, hash, known);
	APPEND(edges->list, edges->nr) =
		(struct edge){ .caller = caller, .function = function, .stats = NO_CALLS };
	return known->index;
}

static void add_counted(struct edge *edge, uint64_t calls)
{
	edge->stats.calls += calls;
	edge->stats.counted_calls += calls;
	edge->stats.known_calls += calls;
	edge->primitive_calls += calls;
}

/* Place the calls that @process counted in inlined copies, and take them off @left: [function number] */
static void place_inlined(struct edges *edges, struct hashtable *table, const struct process *process,
			  uint64_t *left)
{
	for (size_t i = 0; i < process->nr_counted_sums; i++) {
		const struct counted_sum *sum = &process->counted_sums[i];
		struct function *function = sum->path->function;
		uint32_t edge;

		if (!sum->caller)
			continue;
		edge = find_edge(edges, table, sum->caller, function); /* the list may move */
		add_counted(&edges->list[edge], sum->calls);
		left[function->number] -= sum->calls;
	}
}

/*
 * The counter of a function's own code does not know its caller. If the function has a single caller, and
 * samples met it there, that one called it.
 */
static void place_counted(struct edges *edges, struct hashtable *table, const struct model *model)
{
	size_t nr = functions_count(&model->tables->functions), nr_kept = 0;
	uint64_t *left = xcalloc(nr, sizeof(*left));
	uint32_t *nr_callers = xcalloc(nr, sizeof(*nr_callers));

	for (size_t i = 0; i < edges->nr; i++)
		if (is_of_counters(&edges->list[i]))
			left[edges->list[i].function->number] += edges->list[i].stats.calls;
	for (size_t i = 0; i < model->nr_processes; i++)
		place_inlined(edges, table, model->processes[i], left);
	for (size_t i = 0; i < edges->nr; i++) {
		if (edges->list[i].function->kind == FUNCTION_COUNTED || is_of_counters(&edges->list[i]))
			continue;
		edges->list[nr_kept++] = edges->list[i];
		nr_callers[edges->list[i].function->number]++;
	}
	edges->nr = nr_kept;
	for (size_t i = 0; i < edges->nr; i++) {
		struct edge *edge = &edges->list[i];
		uint64_t *rest = &left[edge->function->number];

		if (nr_callers[edge->function->number] == 1 &&
		    edge->samples.nr >= COUNTED_LEAST_SAMPLES) {
			add_counted(edge, *rest);
			*rest = 0;
		}
		edge->stats.lacks_calls = *rest > 0;
	}
	free(nr_callers);
	free(left);
}

void edges_init(struct edges *edges, const struct model *model)
{
	uint32_t *of = xcalloc(model->nr_tree_nodes + 1, sizeof(*of));	/* [id of a path]: its edge */
	struct hashtable table = { 0 };
	struct tree_walk walk;

	*edges = (struct edges){ .nr = 0 };
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		of[node->id] = find_edge(edges, &table, node->parent->function, node->function);
	tree_walk_begin(&walk, model, of, edges->nr);
	while (tree_walk_next(&walk)) {
		const struct call_stats stats = path_stats(walk.node);
		const struct sample_stats *samples = walk.node->samples;
		struct edge *edge = &edges->list[of[walk.node->id]];

		call_stats_add(&edge->stats, &stats);
		sample_stats_add(&edge->samples, samples);
		if (!walk.is_outermost)
			continue;
		call_stats_add_total(&edge->stats, &stats);
		edge->primitive_calls += stats.calls;
		edge->samples.total_nr += samples->total_nr;
		edge->samples.total_ns += samples->total_ns;
	}
	place_counted(edges, &table, model);
	hashtable_release(&table);
	free(of);
}

void edges_release(struct edges *edges)
{
	free(edges->list);
}
