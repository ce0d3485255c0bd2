/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call paths that allocated what lived at the peak, and what was not freed; and heap use of the C++
 * library, charged to its callers.
 */
#include "analyzer/views/heap_sites.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/cells/cells.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/tables/document.h"

#define TEXT_PATHS	10
#define PATH_CALLS	6	/* a longer path is shown by its beginning and its end */
#define PATH_NAME_WIDTH	48
#define SHORT_NS	3e8	/* the age of blocks is known in steps of up to 0.27 s */

struct site {
	const struct tree_node *node;
	uint64_t calls;
	uint64_t bytes;
	uint64_t error_bytes;		/* UINT64_MAX: not known */
	double percent;
	struct document *document;
	const char *age;		/* NULL: not shown */
};

/* Whether the function belongs to std:: or what std:: is built on. After resolve_names(). */
static bool is_of_cpp_library(const struct function *function)
{
	static const char *const names[] = { "std::", "__gnu_cxx::", "__cxxabiv1::" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(function->short_name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* How many calls from @first on are shown as one: a recursion, or calls within a library. */
static size_t same_call(const struct tree_node *const *calls, size_t nr_calls, size_t first)
{
	const struct function *function = calls[first]->function;
	size_t at = first + 1;

	while (at < nr_calls &&
	       (calls[at]->function == function ||
		(is_of_cpp_library(function) && is_of_cpp_library(calls[at]->function))))
		at++;
	return at - first;
}

static const char *fitted_name(struct document *document, const struct function *function)
{
	return document_keep(document, name_fit(function->short_name, PATH_NAME_WIDTH, "..."));
}

static const char *join_calls(struct document *document, const struct tree_node *const *calls,
			      size_t nr_calls)
{
	const char *text = "";

	for (size_t i = 0, nr; i < nr_calls; i += nr) {
		const struct function *function = calls[i]->function;
		const char *name = fitted_name(document, function);

		nr = same_call(calls, nr_calls, i);
		if (i >= PATH_CALLS && i + nr + PATH_CALLS < nr_calls) {
			nr = nr_calls - PATH_CALLS - i;
			text = document_text(document, "%s > (%zu calls)", text, nr);
		} else {
			text = document_text(document, "%s%s%s", text, i ? " > " : "", name);
			if (nr > 1 && calls[i + 1]->function == function)
				text = document_text(document, "%s (x %zu)", text, nr);
		}
	}
	return text;
}

const char *heap_path_text(struct document *document, const struct tree_node *node)
{
	const struct tree_node **calls, *at;
	size_t nr = 0;

	for (at = node; at->function; at = at->parent)
		nr++;
	if (!nr)
		return "(outside of functions)";
	calls = document_new(document, nr * sizeof(*calls));
	at = node;
	for (size_t i = nr; i-- > 0; at = at->parent)
		calls[i] = at;
	return join_calls(document, calls, nr);
}

/* Blocks born before 2^(26 + i) ns. */
static double born_before_ns(int i)
{
	return ldexp(1, HEAP_AGE_SHIFT + i);
}

/*
 * How old the blocks are in a process that ran for @elapsed_ns: "from the first 1.07 s, kept since"; ""
 * if it ran too short to tell.
 */
static const char *heap_age_text(struct document *document, const struct heap_age *age, double elapsed_ns)
{
	uint64_t nr = 0, early = 0;
	int last = 0;

	for (int i = 0; i < HEAP_AGES; i++) {
		nr += age->born[i];
		if (age->born[i])
			last = i;
		if (born_before_ns(i) <= elapsed_ns / 2)
			early += age->born[i];
	}
	if (elapsed_ns < SHORT_NS || !nr)
		return "";
	if (early == nr)
		return document_text(document, "from the first %s, kept since",
				     document_number(document, UNIT_NS, born_before_ns(last)));
	if (early == 0)
		return "recent";
	return (double)(nr - early) >= 0.3 * (double)nr ? "of all ages: growing" : "most from the start";
}

/* A text of its own for each of a million paths would take much memory. */
static struct value get_path(const struct column *column, const void *row)
{
	const struct site *site = row;

	return value_text(heap_path_text(site->document, site->node));
}

#define SITE(member, unit) MEMBER(struct site, member, unit)
static const struct column peak_columns[] = {
	{ "peak_heap_bytes", "At peak", COLUMN_SUMS, SITE(bytes, UNIT_BYTES) },
	{ "peak_error_bytes", COLUMN_ERROR, 0, SITE(error_bytes, UNIT_BYTES) },
	{ "peak_heap_percent", "", COLUMN_SUMS, SITE(percent, UNIT_PERCENT) },
	{ "peak_heap_blocks", "Blocks", COLUMN_SUMS, SITE(calls, UNIT_COUNT) },
	{ "path", "Call path", COLUMN_LEFT | COLUMN_WRAPS, get_path, 0 },
};

static const struct column not_freed_columns[] = {
	{ "not_freed_bytes", "Not freed", COLUMN_SUMS, SITE(bytes, UNIT_BYTES) },
	{ "not_freed_error_bytes", COLUMN_ERROR, 0, SITE(error_bytes, UNIT_BYTES) },
	{ "not_freed_blocks", "Blocks", COLUMN_SUMS, SITE(calls, UNIT_COUNT) },
	{ "age", "Allocated", COLUMN_LEFT | COLUMN_SPARE, SITE(age, 0) },
	{ "path", "Call path", COLUMN_LEFT | COLUMN_WRAPS, get_path, 0 },
};

static int by_bytes(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->node->id < y->node->id ? -1 : 1;
}

/* @is_peak: what lived at the peak; otherwise what was not freed. */
static struct table_rows list_sites(struct document *document, const struct model *model, bool is_peak)
{
	const double all_bytes = (double)(is_peak ? model->heap.peak_bytes : model->heap.not_freed_bytes);
	struct table_rows rows = ROWS_OF(struct site);

	for (struct tree_node *node = model->root; node; node = tree_next(node)) {
		const struct heap_stats *heap = node->heap;
		struct site site = {
			.node = node,
			.calls = is_peak ? heap->peak_calls : heap->not_freed_calls,
			.bytes = is_peak ? heap->peak_bytes : heap->not_freed_bytes,
			.error_bytes = UINT64_MAX,
			.document = document,
		};

		if (!site.calls)
			continue;
		site.percent = 100 * (double)site.bytes / all_bytes;
		if (heap->nr_samples)
			site.error_bytes = (uint64_t)value_number(bytes_error_cell(
				is_peak ? heap->peak_variance_bytes2 : heap->not_freed_variance_bytes2));
		if (node->age)
			site.age = heap_age_text(document, &model->heap_ages[node->age], (double)model->end);
		document_add_row(document, &rows, &site);
	}
	table_rows_sort(&rows, by_bytes);
	return rows;
}

/*
 * Programs get all paths, people the first ones: paths have no names by which a line could sum up the
 * others.
 */
static void add_table(struct document *document, struct table table)
{
	struct table text = table;

	table.aside = text.aside = text.fixed = text.apart = true;
	table.formats = IN_JSON;
	text.formats = IN_TEXT;
	if (text.rows.nr > TEXT_PATHS)
		text.rows.nr = TEXT_PATHS;
	text.nr_left_out = table.rows.nr - text.rows.nr;
	document_add_table(document, &text);
	document_add_table(document, &table);
}

void heap_add_peak(struct document *document, const struct report *report)
{
	add_table(document, (struct table){
		.name = "peak_paths",
		.what = "call paths",
		.title = "peak by call path",
		.text_columns = report->model->heap.nr_samples ?
			"peak_heap_bytes,peak_error_bytes,peak_heap_percent,peak_heap_blocks,path" :
			"peak_heap_bytes,peak_heap_percent,peak_heap_blocks,path",
		TABLE_COLUMNS(peak_columns),
		.text_sort = "peak_heap_bytes",
		.data_sort = "peak_heap_bytes",
		.rows = list_sites(document, report->model, true),
	});
}

void heap_add_not_freed(struct document *document, const struct report *report)
{
	const struct heap_stats *heap = &report->model->heap, *suppressed = &report->model->suppressed;
	const char *besides =
		!suppressed->not_freed_calls
			? ""
			: document_text(
				  document, ", besides %s in %s suppressed",
				  document_number(document, UNIT_BYTES, suppressed->not_freed_bytes),
				  document_count(document, suppressed->not_freed_calls, "block"));

	if (!heap->not_freed_calls) {
		const char *unseen = heap_unseen_text(document, report->model);

		document_add(document, "Not freed", !unseen ? document_text(document, "nothing%s", besides) :
			document_text(document, "none of the samples%s: %s", besides, unseen))->apart = true;
		return;
	}
	add_table(document, (struct table){
		.name = "not_freed",
		.what = "call paths",
		.title = document_text(document, "not freed: %s in %s%s",
				       document_number(document, UNIT_BYTES, heap->not_freed_bytes),
				       document_count(document, heap->not_freed_calls, "block"), besides),
		.text_columns = heap->nr_samples ?
			"not_freed_bytes,not_freed_error_bytes,not_freed_blocks,age,path" :
			"not_freed_bytes,not_freed_blocks,age,path",
		TABLE_COLUMNS(not_freed_columns),
		.text_sort = "not_freed_bytes",
		.data_sort = "not_freed_bytes",
		.rows = list_sites(document, report->model, false),
	});
}

/* ---- functions that allocate for their callers ---- */

#define WRAPPER_ALLOCS 100 /* fewer say nothing about a function */
#define WRAPPER_ROUNDS 4   /* wrappers of wrappers */
#define WRAPPER_NAMES  3

/* By the number of a function. */
struct charge {
	const struct function *caller;
	bool several_callers, calls_others;
	bool is_wrapper;
};

static bool is_passed_on(const struct charge *charges, const struct function *function)
{
	return is_of_cpp_library(function) || charges[function->number].is_wrapper;
}

/* Heap use of each function, and of those below it that allocate for their callers. */
static void charge_callers(struct model *model, const struct charge *charges)
{
	struct function **payers = xcalloc(model->nr_tree_nodes, sizeof(*payers)); /* [id of a node] */

	for (size_t i = 0; i < model->nr_known_functions; i++)
		model->functions[i]->charged_heap = (struct heap_stats){ 0 };
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		struct function *above = payers[node->parent->id];

		payers[node->id] = above && is_passed_on(charges, node->function) ? above : node->function;
		heap_stats_add(&payers[node->id]->charged_heap, node->heap);
	}
	free(payers);
}

/* Parts of parallel regions were called by what began the region. NULL: none */
static const struct function *calling_function(const struct tree_node *node)
{
	node = node->parent;
	while (node->function && node->function->made_up)
		node = node->parent;
	return node->function;
}

static void look_at_callers(struct model *model, struct charge *charges)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		const struct function *caller = calling_function(node);
		struct charge *of = &charges[node->function->number];

		if (!caller || caller == node->function)
			continue;
		of->several_callers |= of->caller && of->caller != caller;
		of->caller = caller;
		charges[caller->number].calls_others |=
			!is_passed_on(charges, node->function) && !node->function->wait;
	}
}

/*
 * A wrapper allocates one block a call, does not free it, does next to nothing else, and is called from
 * several functions. If its name says that it allocates, it may also do so by other functions, and
 * reallocate, and free when it is asked for nothing.
 */
static bool is_wrapper(const struct function *function, const struct charge *charge)
{
	const struct heap_stats *heap = &function->charged_heap;
	const double allocs = (double)heap->alloc_calls, calls = (double)function->stats.calls;
	const double frees = (double)heap->free_calls;
	const bool is_named_so = strstr(function->short_name, "alloc");

	return function->kind == FUNCTION_PLAIN && !function->region && heap->alloc_calls >= WRAPPER_ALLOCS &&
	       allocs + (is_named_so ? frees : 0) >= 0.9 * calls && allocs <= 1.1 * calls &&
	       frees <= (is_named_so ? 1.1 : 0.1) * allocs && charge->several_callers &&
	       (is_named_so || !charge->calls_others);
}

static bool find_wrappers(struct model *model, struct charge *charges)
{
	bool found = false;

	for (size_t i = 0; i < model->nr_known_functions; i++) {
		const struct function *function = model->functions[i];
		struct charge *charge = &charges[function->number];

		if (!charge->is_wrapper && !is_of_cpp_library(function) &&
		    is_wrapper(function, charge))
			charge->is_wrapper = found = true;
		charge->calls_others = false;
	}
	return found;
}

static const char *wrappers_text(struct document *document, const struct model *model,
				 const struct charge *charges)
{
	const char *text = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_known_functions; i++) {
		const struct function *function = model->functions[i];

		if (charges[function->number].is_wrapper && nr++ < WRAPPER_NAMES)
			text = document_text(document, "%s%s%s", text ? text : "", text ? ", " : "",
					     fitted_name(document, function));
	}
	if (!nr)
		return NULL;
	if (nr > WRAPPER_NAMES)
		text = document_text(document, "%s and %zu more", text, nr - WRAPPER_NAMES);
	return document_text(document, "%s: %s for %s callers, and %s here for them; -v heap shows %s", text,
			     nr == 1 ? "allocates" : "allocate", nr == 1 ? "its" : "their",
			     nr == 1 ? "counts" : "count", nr == 1 ? "it" : "them");
}

const char *heap_charge(struct document *document, struct model *model)
{
	struct charge *charges = xcalloc(functions_count(&model->tables->functions), sizeof(*charges));
	const char *text;
	bool goes_on = true;

	for (int round = 0; goes_on && round < WRAPPER_ROUNDS; round++) {
		charge_callers(model, charges);
		look_at_callers(model, charges);
		goes_on = find_wrappers(model, charges);
	}
	charge_callers(model, charges);
	text = wrappers_text(document, model, charges);
	free(charges);
	return text;
}

uint64_t heap_sample_distance(const struct model *model)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->heap.live_records &&
		    bytes < model->processes[i]->header.heap_sample_bytes)
			bytes = model->processes[i]->header.heap_sample_bytes;
	return bytes;
}

/*
 * If blocks are 3 times the mean distance of samples in total, 95 % of such sets have a sample: exp(-3). At
 * a distance of 1, every block is a sample.
 */
const char *heap_unseen_text(struct document *document, const struct model *model)
{
	uint64_t distance = model->heap.nr_samples ? heap_sample_distance(model) : 0;

	return distance <= 1 ? NULL : document_text(document, "less than %s (95 %%)",
		document_number(document, UNIT_BYTES, 3 * (double)distance));
}
