/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call tree: each call path below its caller. */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/path_text.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/selector.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/samples_read.h"
#include "analyzer/tables/table.h"

#define TEXT_PATHS	40	/* in text, unless --top says otherwise */
#define INDENT_MAX	24	/* levels; deeper ones are not indented further */

#define STACKS_NOTE "estimates from stacks of allocations; allocated: by the function and what it calls; " \
	"at peak, not freed: by itself"

/* There may be millions of rows, so each is made when it is printed, of its path's id. */
struct tree_row {
	struct facts facts;
	const struct model *model;
	const struct tree_node *node;
	const double *alloc_bytes;	/* tree_alloc_bytes(); NULL: not a report of stacks */
};

struct tree_rows {
	const struct model *model;
	const double *alloc_bytes;
	const uint32_t *ids;		/* in the order of the tree */
	size_t nr;
};

static struct tree_row row_of(const struct model *model, const double *alloc_bytes,
			      const struct tree_node *node)
{
	return (struct tree_row){ {
		.function = node->function,
		.stats = path_stats(node),
		.heap = node->heap,
		.samples = node->samples,
		.nr_samples = model->samples.nr,
		.samples_ns = model->samples.ns,
		.whole_ns = model->functions_ns,
	}, model, node, alloc_bytes };
}

static bool next_row(struct table *table, void *row)
{
	const struct tree_rows *rows = table->source;

	if (table->at == rows->nr) {
		table->at = 0;
		return false;
	}
	*(struct tree_row *)row =
		row_of(rows->model, rows->alloc_bytes, tree_node(rows->model, rows->ids[table->at++]));
	return true;
}

/* Programs without hooks whose allocations were sampled: their call paths are stacks, without calls and
 * times. */
static bool report_is_of_stacks(const struct report *report)
{
	return report->model->heap.nr_samples && !report->model->calls;
}

/*
 * [id of a node]: bytes that it and all below it allocated. Stacks have few levels, so each walks to the
 * root.
 */
static const double *tree_alloc_bytes(struct document *document, const struct model *model)
{
	double *bytes = document_new(document, model->nr_tree_nodes * sizeof(*bytes));

	for (struct tree_node *node = model->root; node; node = tree_next(node))
		for (const struct tree_node *at = node; node->heap->alloc_bytes && at; at = at->parent)
			bytes[at->id] += (double)node->heap->alloc_bytes;
	return bytes;
}

static struct value get_function(const struct column *column, const void *row)
{
	struct value value = facts_function(column, row);
	unsigned int level = ((const struct tree_row *)row)->node->depth - 1;

	value.indent = level < INDENT_MAX ? level : INDENT_MAX;
	return value;
}

static struct value get_path(const struct column *column, const void *row)
{
	return value_text(path_text(((const struct tree_row *)row)->node));
}

static struct value get_depth(const struct column *column, const void *row)
{
	return value_integer(UNIT_NONE, ((const struct tree_row *)row)->node->depth - 1);
}

static struct value get_threads(const struct column *column, const void *row)
{
	const struct tree_node *node = ((const struct tree_row *)row)->node;

	return node->threads_unknown ? value_empty() : value_integer(UNIT_COUNT, node->nr_threads);
}

static struct value get_alloc(const struct column *column, const void *row)
{
	const struct tree_row *of = row;

	return of->alloc_bytes ? value_integer(UNIT_BYTES, (int64_t)of->alloc_bytes[of->node->id])
			       : value_empty();
}

static struct value get_part(const struct column *column, const void *row)
{
	const struct tree_row *of = row;

	if (of->model->nr_parts < 2 || call_stats_are_counted(&of->facts.stats))
		return value_empty();
	return runs_cell(&of->facts.stats, parts_path_range(of->model, of->node, column->index / PART_CELLS),
			 of->model->nr_parts, column->index);
}

static const struct column columns[] = {
	{ "path", "Path", COLUMN_LEFT, get_path, 0 },
	{ "depth", "Depth", 0, get_depth, 0 },
	{ "function", "Function", COLUMN_FUNCTION, get_function, CELL_NAME },
	FACTS_SOURCE,
	{ "calls", "Calls", COLUMN_SUMS, facts_stats, CELL_CALLS },
	{ "total_ns", "Total", 0, facts_stats, CELL_TOTAL },
	{ "self_ns", "Self", COLUMN_SUMS, facts_stats, CELL_SELF },
	{ "mean_ns", "Mean", 0, facts_stats, CELL_MEAN },
	{ "min_ns", "Min", 0, facts_stats, CELL_MIN },
	{ "max_ns", "Max", 0, facts_stats, CELL_MAX },
	FACTS_HEAP,
	{ "total_percent", "", 0, facts_share, CELL_TOTAL },
	{ "self_percent", "", COLUMN_SUMS, facts_share, CELL_SELF },
	{ "open_calls", "Open", COLUMN_SUMS, facts_stats, CELL_OPEN_CALLS },
	{ "threads", "Threads", 0, get_threads, 0 },
	FACTS_ERRORS,
	FACTS_LIVE_HEAP,
	FACTS_DOUBTS,
	{ "time_source", "By", COLUMN_LEFT, facts_time_source, 0 },
	RUNS_COLUMNS(get_part, 0),
	{ "samples", "Samples", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_NR },
	{ "samples_percent", "", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_PERCENT },
	{ "sampled_self_ns", "Self CPU", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_SELF_NS },
	{ "sampled_total_ns", "CPU", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL_NS },
	{ "total_samples_percent", "", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL_PERCENT },
	{ "kernel_self_ns", "Self kernel", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples,
	  CELL_SAMPLES_KERNEL_NS },
	{ "kernel_total_ns", "Kernel", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL_KERNEL_NS },
	{ "kernel_percent", "In kernel", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_KERNEL_PERCENT },
	FACTS_WAITS,
	{ "total_alloc_bytes", "Allocated", COLUMN_EXTRA, get_alloc, 0 },
	{ "source", "Source", COLUMN_LEFT | COLUMN_TEXT, facts_function, CELL_SOURCE },
};

/* Which paths are shown, and how siblings are sorted. */
struct chosen_rows {
	const struct model *model;
	const struct options *options;
	const struct column *sort;
	const double *alloc_bytes;	/* for the rows */
	uint32_t *nodes;		/* ids of those that --match leaves, with all below them */
	size_t nr_nodes;
	double *keys;			/* [id]: what numbers are sorted by */
	bool *shown;			/* [id]: one of the first --top nodes, or above one */
};

static struct value value_of(const struct chosen_rows *chosen, uint32_t id)
{
	struct tree_row row = row_of(chosen->model, chosen->alloc_bytes, tree_node(chosen->model, id));

	return chosen->sort->get(chosen->sort, &row);
}

static int compare_texts(const struct chosen_rows *chosen, uint32_t a, uint32_t b)
{
	struct value value = value_of(chosen, a);
	char *text = value.type == VALUE_TEXT ? xstrdup(value.text) : NULL; /* it lives until the next one */
	int order;

	if (text)
		value.text = text;
	order = value_compare(value, value_of(chosen, b));
	free(text);
	return order;
}

/* Names in alphabetical order, numbers largest first. */
static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct chosen_rows *chosen = context;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	double a_key = chosen->keys[left], b_key = chosen->keys[right];
	int order = (a_key < b_key) - (a_key > b_key);

	if (chosen->sort->flags & COLUMN_LEFT)
		order = compare_texts(chosen, left, right);
	if (chosen->options->reverse)
		order = -order;
	return order ? order : (left > right) - (left < right);
}

/* The numbers by which paths are sorted, once for all comparisons. Paths without a number come last. */
static void find_keys(struct chosen_rows *chosen)
{
	size_t nr_nodes = chosen->model->nr_tree_nodes;

	chosen->keys = xcalloc(nr_nodes, sizeof(*chosen->keys));
	for (uint32_t id = 1; id < nr_nodes && !(chosen->sort->flags & COLUMN_LEFT); id++) {
		struct value value = value_of(chosen, id);

		if (value.type == VALUE_EMPTY)
			chosen->keys[id] = chosen->options->reverse ? INFINITY : -INFINITY;
		else
			chosen->keys[id] = value_number(value);
	}
}

static void select_nodes(struct chosen_rows *chosen, bool in_order)
{
	const struct model *model = chosen->model;
	const char *pattern = chosen->options->match;
	bool *matched = xcalloc(model->nr_tree_nodes, sizeof(*matched));	/* it, or one above it */

	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		if (tree_is_of_counters(node))
			continue;
		matched[node->id] =
			!pattern || matched[node->parent->id] || selector_matches(pattern, node->function);
		if (matched[node->id])
			chosen->nodes[chosen->nr_nodes++] = node->id;
	}
	free(matched);
	if (in_order)
		qsort_r(chosen->nodes, chosen->nr_nodes, sizeof(*chosen->nodes), compare_nodes, chosen);
}

/* --min-percent is a share of this: the time in all functions, else the sum over paths, or the largest. */
static double whole(const struct chosen_rows *chosen)
{
	double sum = 0, largest = 0;

	if (chosen->sort->get == facts_share)
		return 100;
	if (chosen->sort->get == facts_stats && chosen->sort->index == CELL_TOTAL)
		return chosen->model->functions_ns;
	for (size_t i = 0; i < chosen->nr_nodes; i++) {
		double key = value_number(value_of(chosen, chosen->nodes[i]));

		sum += key;
		largest = fmax(largest, key);
	}
	return chosen->sort->flags & COLUMN_SUMS ? sum : largest;
}

/* If no sample met a counted path, only its place is known. */
static bool is_blank(const struct chosen_rows *chosen, uint32_t id)
{
	return tree_node(chosen->model, id)->function->is_counted &&
	       value_of(chosen, id).type == VALUE_EMPTY;
}

/*
 * Show the first @top of the selected nodes that are large enough, and their callers. Return: how many are
 * left out
 */
static size_t show_nodes(struct chosen_rows *chosen, size_t top)
{
	double percent = chosen->options->min_percent, least = percent ? whole(chosen) * percent / 100 : 0;
	size_t left_out = 0, nr = 0;

	for (size_t i = 0; i < chosen->nr_nodes; i++) {
		uint32_t id = chosen->nodes[i];

		if ((top && (nr >= top || is_blank(chosen, id))) ||
		    (percent && value_number(value_of(chosen, id)) < least)) {
			left_out += !chosen->shown[id];
			continue;
		}
		nr++;
		for (const struct tree_node *node = tree_node(chosen->model, id);
		     node && !chosen->shown[node->id]; node = node->parent)
			chosen->shown[node->id] = true;
	}
	return left_out;
}

/* Ids in the order of the tree. Not recursive, because a recorded recursion may be very deep. */
static size_t list_rows(struct chosen_rows *chosen, uint32_t *ids)
{
	uint32_t *todo = xcalloc(chosen->model->nr_tree_nodes, sizeof(*todo));	/* 0: the root */
	size_t nr_todo = 1, nr_rows = 0;

	while (nr_todo) {
		const struct tree_node *node = tree_node(chosen->model, todo[--nr_todo]);
		size_t nr = 0;

		if (node->function)
			ids[nr_rows++] = node->id;
		for (const struct tree_node *child = node->child; child; child = child->next)
			if (chosen->shown[child->id])
				chosen->nodes[nr++] = child->id;
		qsort_r(chosen->nodes, nr, sizeof(*chosen->nodes), compare_nodes, chosen);
		while (nr)
			todo[nr_todo++] = chosen->nodes[--nr];
	}
	free(todo);
	return nr_rows;
}

static void choose_rows(struct table *table, struct tree_rows *rows, struct document *document,
			struct report *report)
{
	const struct model *model = report->model;
	const struct options *options = report->options;
	bool is_of_stacks = report_is_of_stacks(report);
	const char *sort = options->sort	      ? options->sort
			   : model->is_sampled	      ? report_sampled_sort(report, true)
			   : is_of_stacks	      ? "total_alloc_bytes"
			   : report_has_times(report) ? "total_ns"
						      : "calls";
	size_t top = options->top_given			    ? options->top
		     : strcmp(options->format, "text") == 0 ? TEXT_PATHS
							    : 0;
	struct chosen_rows chosen = {
		.model = model,
		.options = options,
		.sort = sort_column(table, sort),
		.alloc_bytes = is_of_stacks ? tree_alloc_bytes(document, model) : NULL,
	};
	uint32_t *ids;

	if (!chosen.sort)
		return;		/* the format that prints the table says that there is no such column */
	chosen.nodes = xcalloc(model->nr_tree_nodes, sizeof(*chosen.nodes));
	chosen.shown = xcalloc(model->nr_tree_nodes, sizeof(*chosen.shown));
	find_keys(&chosen);
	select_nodes(&chosen, top || options->min_percent);
	table->nr_left_out = show_nodes(&chosen, top);
	ids = document_new(document, model->nr_tree_nodes * sizeof(*ids));
	*rows = (struct tree_rows){ model, chosen.alloc_bytes, ids, list_rows(&chosen, ids) };
	free(chosen.nodes);
	free(chosen.shown);
	free(chosen.keys);
}

static const char *text_columns(const struct report *report)
{
	if (report->model->is_sampled && samples_know_waits(report->model))
		return "sampled_total_ns,total_samples_percent,sampled_self_ns,waiting_total_ns,"
		       "waiting_self_ns,function,source";
	if (report->model->is_sampled)
		return "sampled_total_ns,total_samples_percent,sampled_self_ns,kernel_percent,"
			"function,source";
	if (report_is_of_stacks(report))
		return "total_alloc_bytes,peak_heap_bytes,not_freed_bytes,function,source";
	if (report->model->nr_parts > 1)
		return report_has_times(report)
			       ? "total_ns,total_percent,total_run_mean_ns,total_run_min_ns,total_run_max_ns,"
				 "self_ns,calls,function"
			       : "calls,calls_run_mean,calls_run_min,calls_run_max,function";
	if (!report_has_times(report))
		return report_has_heap(report) ? "calls,alloc_calls,alloc_bytes,function,source"
					       : "calls,function,source";
	if (report_has_errors(report))
		return "total_ns,total_error_ns,total_percent,self_ns,self_error_ns,calls,function";
	if (!report_has_heap(report))
		return "total_ns,total_percent,self_ns,calls,function";
	return "total_ns,total_percent,self_ns,calls,alloc_bytes,function";
}

/* Timing auto. */
static const char *counted_note(const struct report *report)
{
	return report_has_counted(report)
		       ? "; ≈: time by CPU samples; ≤: with the time of counted functions that "
			 "have none; paths may lack counted functions in between; their calls are shown "
			 "where samples met a single path, all in -v functions"
		       : "";
}

/* Regions of OpenMP. */
static const char *teams_note(const struct model *model)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		if (node->starter)
			return "; " REGION_OF_TEAMS ": parts of a parallel region, whose time is in no total "
			       "above";
	return "";
}

static const char *note_of(struct document *document, const struct report *report)
{
	const struct model *model = report->model;

	if (model->is_sampled)
		return report_sampled_note(document, report);
	if (report_is_of_stacks(report))
		return STACKS_NOTE;
	if (model->nr_parts > 1)
		return document_text(document,
				     "total and self are sums of %zu runs; /run: their mean; "
				     "least and most: of one run, 0 if it has none%s%s",
				     model->nr_parts, counted_note(report), report_doubt_note(report));
	return document_text(document, "total = self + what it calls, over all threads; %% of the time in "
		"all functions; Alloc: by the function itself%s%s%s", teams_note(model),
		counted_note(report), report_doubt_note(report));
}

int view_tree(struct document *document, struct report *report)
{
	struct tree_rows *rows = document_new(document, sizeof(*rows));
	struct table table = {
		.name = "tree",
		.what = "call paths",
		.title = report->title,
		.note = note_of(document, report),
		TABLE_COLUMNS(columns),
		.text_columns = text_columns(report),
		.data_also = report_data_also(report) | (report_is_of_stacks(report) ? COLUMN_EXTRA : 0),
		.fixed = true,
		.rows = ROWS_OF(struct tree_row),
		.next = next_row,
		.source = rows,
	};

	choose_rows(&table, rows, document, report);
	document_add_table(document, &table);
	return 0;
}
