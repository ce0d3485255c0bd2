/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who calls whom. The tree may be as deep as the program's recursion, so nothing here recurses. */
#include "analyzer/model/call_edges.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/model/tree.h"

/* What the hash table holds: the list may move while it grows. */
struct known_edge {
	const struct function *caller;
	const struct function *function;
	size_t index;
};

static bool is_edge(const void *item, const void *key)
{
	const struct known_edge *known = item, *wanted = key;

	return known->caller == wanted->caller && known->function == wanted->function;
}

static size_t find_edge(struct edges *edges, struct hashtable *table, const struct tree_node *node)
{
	struct known_edge wanted = { node->parent->function, node->function, edges->nr }, *known;
	uint64_t hash = hash_pair((uint64_t)(uintptr_t)wanted.caller, (uint64_t)(uintptr_t)wanted.function);

	known = hashtable_find(table, hash, is_edge, &wanted);
	if (known)
		return known->index;
	known = xcalloc(1, sizeof(*known));
	*known = wanted;
	hashtable_add(table, hash, known);
	edges->list = xgrow(edges->list, edges->nr, sizeof(*edges->list));
	edges->list[edges->nr++] = (struct edge){
		.caller = node->parent->function,
		.function = node->function,
		.stats = { .min_ns = NAN, .max_ns = NAN, .finished_max_ns = NAN },
	};
	return known->index;
}

/* Leave @node and those above it that have no more children; @of: [id of a node], its edge. */
static struct tree_node *step_over(struct edges *edges, const size_t *of, struct tree_node *node)
{
	while (node->parent) {
		edges->list[of[node->id]].on_path--;
		if (node->next)
			return node->next;
		node = node->parent;
	}
	return NULL;
}

void edges_init(struct edges *edges, const struct model *model)
{
	size_t *of = xcalloc(model->nr_tree_nodes + 1, sizeof(*of));
	struct tree_node *node = model->root->child;
	struct hashtable table = { 0 };

	*edges = (struct edges){ .nr = 0 };
	while (node) {
		const struct call_stats stats = path_stats(node);
		struct edge *edge;

		of[node->id] = find_edge(edges, &table, node);
		edge = &edges->list[of[node->id]];
		call_stats_add(&edge->stats, &stats);
		sample_stats_add(&edge->samples, node->samples);
		if (edge->on_path++ == 0) {
			call_stats_add_total(&edge->stats, &stats);
			edge->samples.total_nr += node->samples->total_nr;
			edge->samples.total_ns += node->samples->total_ns;
		}
		node = node->child ? node->child : step_over(edges, of, node);
	}
	hashtable_release(&table);
	free(of);
}

void edges_release(struct edges *edges)
{
	free(edges->list);
}
