/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call tree as columns; a path's number is its node's, callers come before what they call. */
#include "page.h"

#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "walk.h"

static double whole(double ns)
{
	return ns > 0 ? round(ns) : 0;
}

static double get_calls(const struct tree_node *node) { return (double)node->stats.calls; }
static double get_total(const struct tree_node *node) { return whole(node->stats.total_ns); }
/* May be below 0 where the hooks' cost was taken out; so are sums over paths those that functions have. */
static double get_self(const struct tree_node *node) { return round(node->stats.self_ns); }
static double get_alloc_calls(const struct tree_node *node) { return (double)node->heap.alloc_calls; }
static double get_alloc_bytes(const struct tree_node *node) { return (double)node->heap.alloc_bytes; }
static double get_temporary(const struct tree_node *node) { return (double)node->heap.temporary_calls; }
static double get_peak(const struct tree_node *node) { return (double)node->heap.peak_bytes; }
static double get_not_freed(const struct tree_node *node) { return (double)node->heap.not_freed_bytes; }
static double get_parent(const struct tree_node *node) { return node->parent ? node->parent->id : NAN; }

static const struct {
	const char *name;
	double (*get)(const struct tree_node *node);
} columns[] = {
	{ "parent", get_parent },
	{ "calls", get_calls },
	{ "total_ns", get_total },
	{ "self_ns", get_self },
	{ "alloc_calls", get_alloc_calls },
	{ "alloc_bytes", get_alloc_bytes },
	{ "temporary_calls", get_temporary },
	{ "peak_heap_bytes", get_peak },
	{ "not_freed_bytes", get_not_freed },
};

void page_add_tree(struct page *page)
{
	struct model *model = page->report->model;
	struct block *block = page_block(page, "tree");
	double *values = xcalloc(model->nr_tree_nodes, sizeof(*values));

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		for (struct tree_node *node = model->root; node; node = tree_next(node))
			values[node->id] = columns[i].get(node);
		block_add_numbers(block, columns[i].name, values, model->nr_tree_nodes, 0);
	}
	for (size_t i = 0; i < model->nr_tree_nodes; i++)
		values[i] = page->function_of[i] == UINT32_MAX ? NAN : page->function_of[i];
	block_add_numbers(block, "function", values, model->nr_tree_nodes, 0);
	free(values);
}
