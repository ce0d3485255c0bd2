/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time and memory by field: what functions are for. */
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "fields.h"
#include "tree.h"
#include "walk.h"

#define OTHERS "Others"

struct field_row {
	const char *field;
	uint64_t nr_functions;
	struct call_stats stats;
	struct heap_stats heap;
	double all_ns;			/* of all fields and of what is outside of them */
	bool has_heap;
	uint32_t on_path;
};

struct field_rows {
	struct field_row *rows;		/* by name */
	size_t nr_rows;
};

static int by_field(const void *a, const void *b)
{
	return strcmp(((const struct field_row *)a)->field, ((const struct field_row *)b)->field);
}

static struct field_row *find_row(const struct field_rows *fields, const struct function *function)
{
	struct field_row wanted = { .field = function->field };

	if (!wanted.field)	/* "(other paths)" */
		return NULL;
	return bsearch(&wanted, fields->rows, fields->nr_rows, sizeof(wanted), by_field);
}

/* One row for each field that a function has; room for one more. */
static void make_rows(struct document *document, struct field_rows *fields, const struct report *report)
{
	const struct model *model = report->model;
	struct field_row *rows = document_new(document, (model->nr_functions + 2) * sizeof(*rows));
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_functions; i++)
		rows[i] = (struct field_row){ .field = model->functions[i]->field, .nr_functions = 1,
			.has_heap = report_has_heap(report),
			.stats = { .min_ns = NAN, .max_ns = NAN, .finished_max_ns = NAN } };
	qsort(rows, model->nr_functions, sizeof(*rows), by_field);
	for (size_t i = 0; i < model->nr_functions; i++) {
		if (nr && strcmp(rows[nr - 1].field, rows[i].field) == 0)
			rows[nr - 1].nr_functions++;
		else
			rows[nr++] = rows[i];
	}
	*fields = (struct field_rows){ rows, nr };
}

/* Total time is that of the outermost calls of a field: what is below one of its own adds nothing. */
static void sum_up(const struct field_rows *fields, const struct model *model)
{
	struct tree_node *node = model->root->child;

	while (node) {
		struct field_row *row = find_row(fields, node->function);

		if (row) {	/* a function that only calls others is in no field */
			call_stats_add(&row->stats, &node->stats);
			heap_stats_add(&row->heap, &node->heap);
			if (row->on_path++ == 0)
				call_stats_add_total(&row->stats, &node->stats);
		}
		if (node->child) {
			node = node->child;
			continue;
		}
		while (node->function) {
			row = find_row(fields, node->function);
			if (row)
				row->on_path--;
			if (node->next)
				break;
			node = node->parent;
		}
		node = node->next;
	}
}

/* How long threads with calls lived. */
static double threads_ns(const struct model *model)
{
	double ns = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_threads; j++) {
			const struct thread *thread = process->threads[j];

			if (!thread->left_out && thread->calls && thread->begin != NO_TIME)
				ns += (double)((thread->end == NO_TIME ? process->last : thread->end) - thread->begin);
		}
	}
	return ns;
}

/* Wall time of the threads less what they were in functions, and in hooks; memory outside of all functions. */
static void add_others(struct field_rows *fields, const struct report *report)
{
	const struct model *model = report->model;
	struct field_row *row = &fields->rows[fields->nr_rows++];
	double others_ns = threads_ns(model) - model->functions_ns - (model->is_raw ? 0 : model->hooks_ns);

	for (size_t i = 0; i + 1 < fields->nr_rows; i++)
		row->all_ns += fmax(0, fields->rows[i].stats.self_ns);
	*row = (struct field_row){ .field = OTHERS, .has_heap = report_has_heap(report), .heap = model->root->heap,
		.all_ns = row->all_ns + fmax(0, others_ns) };
	row->stats.self_ns = report_has_times(report) ? fmax(0, others_ns) : NAN;
	for (size_t i = 0; i + 1 < fields->nr_rows; i++)
		fields->rows[i].all_ns = row->all_ns;
}

enum { FIELD_NAME, FIELD_FUNCTIONS, FIELD_SHARE };

static bool is_others(const struct field_row *row)
{
	return !row->nr_functions;
}

static struct value get_field(const struct column *column, const void *row)
{
	const struct field_row *of = row;

	switch (column->index) {
	case FIELD_NAME:
		return value_text(of->field);
	case FIELD_FUNCTIONS:
		return is_others(of) ? value_empty() : value_integer(UNIT_COUNT, (int64_t)of->nr_functions);
	default:
		return of->all_ns > 0 && isfinite(of->stats.self_ns) ?
			value_real(UNIT_PERCENT, 100 * fmax(0, of->stats.self_ns) / of->all_ns) : value_empty();
	}
}

static struct value get_stats(const struct column *column, const void *row)
{
	const struct field_row *of = row;

	if (is_others(of))
		return column->index == CELL_SELF ? ns_cell(of->stats.self_ns) : value_empty();
	return stats_cell(&of->stats, column->index);
}

static struct value get_heap(const struct column *column, const void *row)
{
	const struct field_row *of = row;

	return of->has_heap ? heap_cell(&of->heap, column->index) : value_empty();
}

static const struct column columns[] = {
	{ "field", "Field", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_field, FIELD_NAME },
	{ "functions", "Functions", COLUMN_SUMS | COLUMN_SPARE, get_field, FIELD_FUNCTIONS },
	{ "calls", "Calls", COLUMN_SUMS, get_stats, CELL_CALLS },
	{ "self_ns", "Self", COLUMN_SUMS, get_stats, CELL_SELF },
	{ "self_percent", "", COLUMN_SUMS, get_field, FIELD_SHARE },
	{ "total_ns", "Total", 0, get_stats, CELL_TOTAL },
	{ "open_calls", "Open", COLUMN_SUMS, get_stats, CELL_OPEN_CALLS },
	{ "alloc_calls", "Allocs", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_ALLOC_CALLS },
	{ "alloc_bytes", "Alloc", COLUMN_SUMS, get_heap, CELL_ALLOC_BYTES },
	{ "free_calls", "Frees", COLUMN_SUMS, get_heap, CELL_FREE_CALLS },
	{ "freed_bytes", "Freed", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_FREED_BYTES },
	{ "peak_heap_bytes", "At peak", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_PEAK_BYTES },
	{ "not_freed_bytes", "Not freed", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_NOT_FREED_BYTES },
};

static bool has_threads(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->is_saved)
			return false;
	return model->nr_functions;
}

int view_fields(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct field_rows fields;

	fields_apply(report->model, report->options->fields);
	make_rows(document, &fields, report);
	sum_up(&fields, report->model);
	if (has_threads(report->model))	/* of a saved profile it is not known how long they lived */
		add_others(&fields, report);
	*rows = (struct table_rows){ fields.rows, fields.nr_rows };
	*table = (struct table){
		.name = "fields",
		.title = report->title,
		.note = !fields.nr_rows ? "no calls were recorded; insideme-report -v summary says why" :
			OTHERS ": the rest of the threads' wall time; total: of a field's outermost calls; @name: in no field",
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.text_columns = document_text(document, "%s%sfield", report_has_times(report) ? "self_ns,self_percent,total_ns," : "",
			report_has_heap(report) ? "calls,alloc_calls,alloc_bytes,freed_bytes,peak_heap_bytes,functions," : "calls,functions,"),
		.text_sort = report_has_times(report) ? "self_ns" : "calls",
		.text_top = 20,
		.row_bytes = sizeof(struct field_row),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	table->data_sort = table->text_sort;
	document_add_table(document, table);
	return 0;
}
