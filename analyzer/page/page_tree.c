/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call tree as columns. The number of a path is that of its node, so callers come before what they
 * call. With --diff, the paths that only the earlier run has come last, and that run has columns of its
 * own, named "before_...".
 */
#include "analyzer/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/function_resources.h"
#include "analyzer/model/tree_walk.h"

/*
 * As in csv: times below 0, left after the hooks' cost was subtracted, become 0. So no frame is wider than
 * its caller.
 */
static double whole(double ns)
{
	return ns > 0 ? round(ns) : 0;
}

struct sums {
	const struct call_stats *stats;
	const struct heap_stats *heap;
	const struct sample_stats *samples;
	const double *used_ns;		/* see function_use_read(); NULL: not known */
};

/* 0 stands for not known if the path lacks counted calls. */
static double get_calls(const struct sums *sums)
{
	return sums->stats->lacks_calls ? 0 : (double)sums->stats->calls;
}

static double get_total(const struct sums *sums) { return whole(sums->stats->total_ns); }
static double get_self(const struct sums *sums) { return whole(sums->stats->self_ns); }
static double get_alloc_calls(const struct sums *sums) { return (double)sums->heap->alloc_calls; }
static double get_alloc_bytes(const struct sums *sums) { return (double)sums->heap->alloc_bytes; }
static double get_temporary(const struct sums *sums) { return (double)sums->heap->temporary_calls; }
static double get_peak(const struct sums *sums) { return (double)sums->heap->peak_bytes; }
static double get_not_freed(const struct sums *sums) { return (double)sums->heap->not_freed_bytes; }
static double get_on_cpu(const struct sums *sums) { return whole(sums->samples->ns); }
static double get_waiting(const struct sums *sums) { return whole(sums->samples->waiting_ns); }
static double get_ready(const struct sums *sums) { return whole(sums->samples->ready_ns); }
static double get_used(const struct sums *sums, enum use_kind kind)
{
	return sums->used_ns ? whole(sums->used_ns[kind]) : 0;
}
static double get_cpu(const struct sums *sums) { return get_used(sums, USE_CPU_NS); }
static double get_wait(const struct sums *sums) { return get_used(sums, USE_WAIT_NS); }
static double get_blocked(const struct sums *sums) { return get_used(sums, USE_BLOCKED_NS); }

static const struct {
	const char *name, *name_before;	/* NULL: not known of an earlier run */
	double (*get)(const struct sums *sums);
} columns[] = {
	{ "calls", "before_calls", get_calls },
	{ "total_ns", "before_total_ns", get_total },
	{ "self_ns", "before_self_ns", get_self },
	{ "alloc_calls", "before_alloc_calls", get_alloc_calls },
	{ "alloc_bytes", "before_alloc_bytes", get_alloc_bytes },
	{ "temporary_calls", "before_temporary_calls", get_temporary },
	{ "peak_heap_bytes", "before_peak_heap_bytes", get_peak },
	{ "not_freed_bytes", "before_not_freed_bytes", get_not_freed },
	/* of samples */
	{ "sampled_self_ns", NULL, get_on_cpu },
	{ "waiting_self_ns", NULL, get_waiting },
	{ "ready_self_ns", NULL, get_ready },
	/* of calls */
	{ "cpu_self_ns", NULL, get_cpu },
	{ "wait_self_ns", NULL, get_wait },
	{ "blocked_self_ns", NULL, get_blocked },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

/* The parent in the same thread, if any path has another one. */
static void add_within(const struct model *model, struct sheet *sheet, double *values, size_t nr)
{
	bool are_there = false;

	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		are_there |= node->starter != NULL;
		if (node->starter)
			values[node->id] = 0;
	}
	if (are_there)
		sheet_add_numbers(sheet, "within", values, nr, 0);
}

static void add_places(struct page *page, struct sheet *sheet, double *values)
{
	struct model *model = page->report->model;
	const struct diff *diff = page->report->diff;

	values[0] = NAN;
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		values[node->id] = node->parent->id;
	for (size_t i = 0; diff && i < diff->nr_paths; i++)
		if (!diff->paths[i]->node)
			values[page->path_of[i]] = page->path_of[diff->paths[i]->parent->number];
	sheet_add_numbers(sheet, "parent", values, page->nr_paths, 0);
	add_within(model, sheet, values, page->nr_paths);
	for (size_t i = 0; i < page->nr_paths; i++)
		values[i] = page->function_of[i] == UINT32_MAX ? NAN : page->function_of[i];
	sheet_add_numbers(sheet, "function", values, page->nr_paths, 0);
}

static void add_column(struct page *page, struct sheet *sheet, double *values, size_t column)
{
	struct model *model = page->report->model;

	memset(values, 0, page->nr_paths * sizeof(*values));
	for (struct tree_node *node = model->root; node; node = tree_next(node)) {
		const struct call_stats stats = path_stats(node);

		if (!tree_is_of_counters(node))
			values[node->id] =
				columns[column].get(&(struct sums){
					&stats, node->heap, node->samples,
					model->path_used_ns ? model->path_used_ns[node->id] : NULL });
	}
	sheet_add_numbers(sheet, columns[column].name, values, page->nr_paths, 0);
}

/* Of as many runs as there are after, so that the two can be compared. */
static void add_column_before(struct page *page, struct sheet *sheet, double *values, size_t column)
{
	const struct report *report = page->report;
	const struct diff *diff = report->diff;
	const double runs = fmax((double)report->model->nr_runs, 1) /
			    fmax((double)report->before->model->nr_runs, 1);

	memset(values, 0, page->nr_paths * sizeof(*values));
	for (size_t i = 0; i < diff->nr_paths; i++) {
		const struct diff_side *side = &diff->paths[i]->sides[DIFF_BEFORE];

		if (diff_path_is_of_counters(diff->paths[i]))
			continue;
		values[page->path_of[i]] = whole(runs * columns[column].get(&(struct sums){
			.stats = &side->stats, .heap = &side->heap }));
	}
	sheet_add_numbers(sheet, columns[column].name_before, values, page->nr_paths, 0);
}

void page_add_tree(struct page *page)
{
	struct sheet *sheet = page_sheet(page, "tree");
	double *values = xcalloc(page->nr_paths, sizeof(*values));

	add_places(page, sheet, values);
	function_use_read(page->report->model);
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		bool is_of_samples = columns[i].get == get_on_cpu || columns[i].get == get_waiting ||
				     columns[i].get == get_ready;

		if (columns[i].name_before || page->report->model->is_sampled == is_of_samples)
			add_column(page, sheet, values, i);
		if (columns[i].name_before && page->report->diff)
			add_column_before(page, sheet, values, i);
	}
	free(values);
}
