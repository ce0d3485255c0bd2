/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls between functions. The tree may be as deep as the program's recursion, so nothing here recurses. */
#include "analyzer/model/call_edges.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/model/counted_times.h"
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

static uint32_t find_edge(struct edges *edges, struct hashtable *table, const struct tree_node *node)
{
	struct known_edge wanted = { node->parent->function, node->function, (uint32_t)edges->nr }, *known;
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)wanted.caller, (uint64_t)(uintptr_t)wanted.function);

	known = hashtable_find(table, hash, is_edge, &wanted);
	if (known)
		return known->index;
	known = xcalloc(1, sizeof(*known));
	*known = wanted;
	hashtable_add(table, hash, known);
	APPEND(edges->list, edges->nr) = (struct edge){
		.caller = node->parent->function,
		.function = node->function,
		.stats = NO_CALLS,
	};
	return known->index;
}

/*
 * A counter does not know its caller. If samples met the function below a single caller, that one called it.
 */
static void place_counted(struct edges *edges, const struct model *model)
{
	size_t nr = functions_count(&model->tables->functions), nr_kept = 0;
	uint32_t *nr_callers = xcalloc(nr, sizeof(*nr_callers));
	struct edge **last = xcalloc(nr, sizeof(*last));

	for (size_t i = 0; i < edges->nr; i++) {
		struct edge *edge = &edges->list[i];

		if (edge->function->kind == FUNCTION_COUNTED || is_of_counters(edge))
			continue;
		nr_callers[edge->function->number]++;
		last[edge->function->number] = edge;
	}
	for (size_t i = 0; i < edges->nr; i++) {
		const struct edge *edge = &edges->list[i];

		if (!is_of_counters(edge) || nr_callers[edge->function->number] != 1 ||
		    last[edge->function->number]->samples.nr < COUNTED_LEAST_SAMPLES)
			continue;
		call_stats_add(&last[edge->function->number]->stats, &edge->stats);
		last[edge->function->number]->primitive_calls += edge->stats.calls;
		last[edge->function->number]->stats.lacks_calls = false;
	}
	for (size_t i = 0; i < edges->nr; i++)
		if (edges->list[i].function->kind != FUNCTION_COUNTED && !is_of_counters(&edges->list[i]))
			edges->list[nr_kept++] = edges->list[i];
	edges->nr = nr_kept;
	free(nr_callers);
	free(last);
}

void edges_init(struct edges *edges, const struct model *model)
{
	uint32_t *of = xcalloc(model->nr_tree_nodes + 1, sizeof(*of));	/* [id of a path]: its edge */
	struct hashtable table = { 0 };
	struct tree_walk walk;

	*edges = (struct edges){ .nr = 0 };
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		of[node->id] = find_edge(edges, &table, node);
	tree_walk_begin(&walk, model, of, edges->nr);
	while (tree_walk_next(&walk)) {
		const struct call_stats stats = path_stats(walk.node);
		const struct sample_stats *samples = walk.node->samples;
		struct edge *edge = &edges->list[of[walk.node->id]];

		call_stats_add(&edge->stats, &stats);
		edge->stats.lacks_calls |= stats.lacks_calls;
		sample_stats_add(&edge->samples, samples);
		if (!walk.is_outermost)
			continue;
		call_stats_add_total(&edge->stats, &stats);
		edge->primitive_calls += stats.calls;
		edge->samples.total_nr += samples->total_nr;
		edge->samples.total_ns += samples->total_ns;
	}
	place_counted(edges, model);
	hashtable_release(&table);
	free(of);
}

void edges_release(struct edges *edges)
{
	free(edges->list);
}
