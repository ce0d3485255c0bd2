/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions by number: first those of the view functions, in its order, then the others of the call tree. */
#include "analyzer/base/names.h"
#include "analyzer/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/tree_walk.h"

struct numbered {
	struct function *function;
	uint32_t number;
};

struct function_list {
	struct numbered *sorted;	/* by pointer */
	struct function **functions;	/* [number] */
	size_t nr;
};

static int by_pointer(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return (x->function > y->function) - (x->function < y->function);
}

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void list_function(struct function_list *list, struct function *function)
{
	const uint32_t number = (uint32_t)list->nr;

	APPEND(list->sorted, list->nr) = (struct numbered){ function, number };
}

/*
 * List each function once: those of the view, then those that only call others, then those that only the
 * earlier run has.
 */
static void list_functions(struct page *page, struct function_list *list)
{
	struct model *model = page->report->model;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_functions; i++)
		if (model->functions[i]->kind == FUNCTION_PLAIN)
			list_function(list, model->functions[i]);
	page->nr_functions = (uint32_t)list->nr;
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		if (node->function->kind != FUNCTION_PLAIN || !node->function->stats.calls)
			list_function(list, node->function);
	for (size_t i = 0; page->report->diff && i < page->report->diff->nr_functions; i++)
		if (!page->report->diff->functions[i]->sides[DIFF_AFTER].is_there)
			list_function(list, page->report->diff->functions[i]->function);
	if (!list->nr)
		return;
	qsort(list->sorted, list->nr, sizeof(*list->sorted), by_pointer);
	for (size_t i = 0; i < list->nr; i++)
		if (nr == 0 || list->sorted[nr - 1].function != list->sorted[i].function)
			list->sorted[nr++] = list->sorted[i];
	list->nr = nr;
	qsort(list->sorted, list->nr, sizeof(*list->sorted), by_number);
	list->functions = xcalloc(nr + 1, sizeof(*list->functions));
	for (size_t i = 0; i < nr; i++) {
		list->sorted[i].number = (uint32_t)i;
		list->functions[i] = list->sorted[i].function;
	}
	qsort(list->sorted, list->nr, sizeof(*list->sorted), by_pointer);
}

static uint32_t number_of(const struct function_list *list, struct function *function)
{
	struct numbered key = { .function = function };

	return ((const struct numbered *)bsearch(&key, list->sorted, list->nr, sizeof(key), by_pointer))
		->number;
}

static void number_paths(struct page *page, const struct function_list *list)
{
	struct model *model = page->report->model;
	const struct diff *diff = page->report->diff;
	size_t nr_more = diff ? diff->nr_paths : 0;

	page->nr_paths = (uint32_t)model->nr_tree_nodes;
	page->function_of = xcalloc(model->nr_tree_nodes + nr_more, sizeof(*page->function_of));
	page->function_of[0] = UINT32_MAX;
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node))
		page->function_of[node->id] = number_of(list, node->function);
	if (!diff)
		return;
	page->path_of = xcalloc(nr_more, sizeof(*page->path_of));
	for (size_t i = 0; i < nr_more; i++) {
		const struct diff_path *path = diff->paths[i];

		page->path_of[i] = path->node ? path->node->id : page->nr_paths++;
		if (!path->node)
			page->function_of[page->path_of[i]] = number_of(list, path->function->function);
	}
}

static char *label_of(const struct function *function)
{
	const char *name = function->short_name ?: function->name ?: "?";

	const char *apart = function_apart(function);

	return apart ? xasprintf("%s (%s)", name, apart) : xstrdup(name);
}

static void add_names(struct sheet *sheet, const struct function_list *list)
{
	char **labels = xcalloc(list->nr + 1, sizeof(*labels)),
	     **modules = xcalloc(list->nr + 1, sizeof(*modules));
	char **fields = xcalloc(list->nr + 1, sizeof(*fields));
	double *bound = xcalloc(list->nr + 1, sizeof(*bound));

	for (size_t i = 0; i < list->nr; i++) {
		struct function *function = list->functions[i];

		labels[i] = label_of(function);
		modules[i] = (char *)(function->object ? path_base(function->object->path) : NULL);
		fields[i] = (char *)function->field;
		bound[i] = function->total_is_bound;
	}
	sheet_add_texts(sheet, "label", labels, list->nr);
	sheet_add_texts(sheet, "module", modules, list->nr);
	sheet_add_texts(sheet, "field", fields, list->nr);
	sheet_add_numbers(sheet, "total_is_bound", bound, list->nr, 0);
	for (size_t i = 0; i < list->nr; i++)
		free(labels[i]);
	free(labels);
	free(modules);
	free(fields);
	free(bound);
}

/* Only buckets that are not empty. */
static void add_histograms(struct sheet *sheet, const struct function_list *list)
{
	double *unit = xcalloc(list->nr + 1, sizeof(*unit)), *of = NULL, *bucket = NULL, *count = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++) {
		const struct histogram *histogram = &list->functions[i]->histogram;

		unit[i] = histogram->unit_ns;
		for (int j = 0; j < LOG_BUCKETS; j++) {
			if (!histogram->counts[j] || list->functions[i]->lacks_times)
				continue;
			of = xgrow(of, nr, sizeof(*of));
			bucket = xgrow(bucket, nr, sizeof(*bucket));
			count = xgrow(count, nr, sizeof(*count));
			of[nr] = (double)i;
			bucket[nr] = j;
			count[nr++] = (double)histogram->counts[j];
		}
	}
	sheet_add_numbers(sheet, "histogram_unit_ns", unit, list->nr, 0);
	sheet_add_numbers(sheet, "histogram_function", of, nr, SHEET_DELTA);
	sheet_add_numbers(sheet, "histogram_bucket", bucket, nr, 0);
	sheet_add_numbers(sheet, "histogram_calls", count, nr, 0);
	free(unit);
	free(of);
	free(bucket);
	free(count);
}

void page_add_functions(struct page *page)
{
	struct sheet *sheet = page_sheet(page, "names");
	struct function_list list = { .nr = 0 };

	list_functions(page, &list);
	number_paths(page, &list);
	add_names(sheet, &list);
	add_histograms(sheet, &list);
	free(list.sorted);
	free(list.functions);
}
