/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time and memory by field: what functions are for. */
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "error.h"
#include "fields.h"
#include "process_sums.h"
#include "tree.h"
#include "walk.h"

#define OTHERS "Others"
#define PROCESS_ROWS 40

struct field_row {
	const char *field;
	const struct process *process;	/* NULL: all of them */
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

/* Total time is that of the outermost calls of a field: what is below one of its own adds nothing. @is_outermost: of paths. */
static void sum_up(const struct field_rows *fields, const struct model *model, bool *is_outermost)
{
	struct tree_node *node = model->root->child;

	while (node) {
		struct field_row *row = find_row(fields, node->function);

		if (row) {	/* a function that only calls others is in no field */
			call_stats_add(&row->stats, &node->stats);
			heap_stats_add(&row->heap, &node->heap);
			is_outermost[node->id] = row->on_path++ == 0;
			if (is_outermost[node->id])
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
static double threads_ns(const struct process *process)
{
	double ns = 0;

	for (size_t j = 0; j < process->nr_threads; j++) {
		const struct thread *thread = process->threads[j];

		if (!thread->left_out && thread->calls && thread->begin != NO_TIME)
			ns += (double)((thread->end == NO_TIME ? process->last : thread->end) - thread->begin);
	}
	return ns;
}

/*
 * What is in no field: @others_ns and the heap of @row. Of all rows of @fields, of which it becomes the last, it makes
 * shares.
 */
static void add_others(struct field_rows *fields, struct field_row row, double others_ns)
{
	row.field = OTHERS;
	row.all_ns = fmax(0, others_ns);	/* a stopped clock, or hooks that cost less than was measured */
	row.stats.self_ns = isnan(others_ns) ? NAN : row.all_ns;
	for (size_t i = 0; i < fields->nr_rows; i++)
		row.all_ns += fmax(0, fields->rows[i].stats.self_ns);
	fields->rows[fields->nr_rows++] = row;
	for (size_t i = 0; i < fields->nr_rows; i++)
		fields->rows[i].all_ns = row.all_ns;
}

/* ---- processes ---- */

struct process_fields {
	const struct field_rows *fields;	/* of all */
	const bool *is_outermost;
	struct field_row *rows;			/* [likewise] of one process */
	struct field_row *own;			/* those with calls; room for one more */
	struct heap_stats outside;		/* of all functions */
	double others_ns;			/* of all processes so far */
	const struct process *process;
};

static void add_sum(const struct process_sum *sum, void *context)
{
	struct process_fields *of = context;
	struct function *function = sum->path->function;
	struct field_row *all = function ? find_row(of->fields, function) : NULL, *row;

	if (!function)
		heap_stats_add(&of->outside, &sum->heap);
	if (!all)
		return;
	row = &of->rows[all - of->fields->rows];
	call_stats_add(&row->stats, &sum->stats);
	if (of->is_outermost[sum->path->id])
		call_stats_add_total(&row->stats, &sum->stats);
	heap_stats_add(&row->heap, &sum->heap);
	if (sum->stats.calls && function->counted_in != of->process) {
		function->counted_in = of->process;
		row->nr_functions++;
	}
}

static int by_self(const void *a, const void *b)
{
	const struct field_row *x = a, *y = b;

	if (x->stats.self_ns != y->stats.self_ns)
		return x->stats.self_ns < y->stats.self_ns ? 1 : -1;
	return strcmp(x->field, y->field);
}

/*
 * The rows of one process behind those of others: its fields, most time first, and Others: wall time of its threads less
 * what they were in functions, and in hooks.
 */
static void add_process(struct field_rows *list, struct process_fields *of, struct process *process, const struct report *report)
{
	struct field_rows own = { of->own, 0 };
	bool has_heap = report_has_heap(report);
	double others_ns = report_has_times(report) ? threads_ns(process) - process->functions_ns : NAN, hooks_ns;

	of->process = process;
	of->outside = (struct heap_stats){ 0 };
	for (size_t i = 0; i < of->fields->nr_rows; i++)
		of->rows[i] = (struct field_row){ .field = of->fields->rows[i].field, .process = process, .has_heap = has_heap,
			.stats = { .min_ns = NAN, .max_ns = NAN, .finished_max_ns = NAN } };
	hooks_ns = process_sums_each(process, add_sum, of);
	for (size_t i = 0; i < of->fields->nr_rows; i++)
		if (of->rows[i].stats.calls)
			own.rows[own.nr_rows++] = of->rows[i];
	if (!own.nr_rows)
		return;
	qsort(own.rows, own.nr_rows, sizeof(*own.rows), by_self);
	add_others(&own, (struct field_row){ .process = process, .has_heap = has_heap, .heap = of->outside },
		   others_ns - (process->model->is_raw ? 0 : hooks_ns));
	of->others_ns += own.rows[own.nr_rows - 1].stats.self_ns;
	for (size_t i = 0; i < own.nr_rows; i++) {
		list->rows = xgrow(list->rows, list->nr_rows, sizeof(*list->rows));
		list->rows[list->nr_rows++] = own.rows[i];
	}
}

/* @fields: of all; it gets the sum of what is Others. */
static struct table_rows *list_processes(struct document *document, const struct report *report, struct field_rows *fields,
					 const bool *is_outermost)
{
	const struct model *model = report->model;
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct process_fields of = { .fields = fields, .is_outermost = is_outermost };
	struct field_rows list = { .nr_rows = 0 };

	of.rows = document_new(document, (fields->nr_rows + 1) * sizeof(*of.rows));
	of.own = document_new(document, (fields->nr_rows + 1) * sizeof(*of.own));
	for (size_t i = 0; i < model->nr_processes; i++)
		add_process(&list, &of, model->processes[i], report);
	if (fields->nr_rows)
		add_others(fields, (struct field_row){ .has_heap = report_has_heap(report), .heap = model->root->heap }, of.others_ns);
	*rows = (struct table_rows){ document_keep(document, list.rows), list.nr_rows };
	return rows;
}

static bool has_several(const struct table_rows *rows)
{
	const struct field_row *list = rows->rows;

	return rows->nr_rows && list[0].process != list[rows->nr_rows - 1].process;
}

enum { FIELD_NAME, FIELD_FUNCTIONS, FIELD_SHARE };

static bool is_others(const struct field_row *row)
{
	return !row->nr_functions;
}

static struct value get_field(const struct column *column, const void *row)
{
	const struct field_row *of = row;
	struct value name;

	switch (column->index) {
	case FIELD_NAME:
		name = value_text(of->field);
		name.is_literal = true;	/* what is in parentheses belongs to it */
		return name;
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

enum { PROCESS_PID, PROCESS_RANK, PROCESS_PROGRAM };

static struct value get_process(const struct column *column, const void *row)
{
	const struct process *process = ((const struct field_row *)row)->process;

	if (!process)
		return value_empty();
	if (column->index == PROCESS_PROGRAM)
		return value_text(process->header.program);
	if (column->index == PROCESS_PID)
		return value_integer(UNIT_NONE, process->header.pid);
	return process->header.rank < 0 ? value_empty() : value_integer(UNIT_NONE, process->header.rank);
}

static const struct column columns[] = {
	{ "pid", "Pid", 0, get_process, PROCESS_PID },
	{ "rank", "Rank", COLUMN_SPARE, get_process, PROCESS_RANK },
	{ "program", "Program", COLUMN_LEFT | COLUMN_SPARE, get_process, PROCESS_PROGRAM },
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

static bool is_saved(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->is_saved)
			return true;
	return false;
}

static bool has_ranks(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->header.rank >= 0)
			return true;
	return false;
}

static struct table *add_table(struct document *document, const struct report *report, struct table_rows *rows)
{
	struct table *table = document_new(document, sizeof(*table));

	*table = (struct table){
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.text_columns = document_text(document, "%s%sfield", report_has_times(report) ? "self_ns,self_percent,total_ns," : "",
			report_has_heap(report) ? "calls,alloc_calls,alloc_bytes,freed_bytes,peak_heap_bytes,functions," : "calls,functions,"),
		.row_bytes = sizeof(struct field_row),
		.next = table_next_row,
		.source = rows,
	};
	document_add_table(document, table);
	return table;
}

/* Of single processes, where there are several; csv has no other rows. */
static void add_processes(struct document *document, const struct report *report, struct table_rows *rows)
{
	struct table *table = add_table(document, report, rows);

	table->name = "processes";
	table->what = "fields";
	table->title = "by process";
	table->aside = strcmp(report->options->format, "csv") != 0;
	table->text_columns = document_text(document, "%spid,program,%s", has_ranks(report->model) ? "rank," : "", table->text_columns);
	table->text_top = PROCESS_ROWS;
	table->formats = (has_several(rows) ? IN_TEXT : 0) | IN_CSV | IN_JSON;
}

int view_fields(struct document *document, struct report *report)
{
	struct model *model = report->model;
	bool *is_outermost = document_new(document, model->nr_tree_nodes * sizeof(*is_outermost)), saved = is_saved(model);
	struct table_rows *rows = document_new(document, sizeof(*rows)), *processes = NULL;
	struct field_rows fields;
	struct table *table;

	fields_apply(model, report->options->fields);
	make_rows(document, &fields, report);
	sum_up(&fields, model, is_outermost);
	if (!saved)	/* of a saved profile it is not known what each process has, nor how long threads lived */
		processes = list_processes(document, report, &fields, is_outermost);
	*rows = (struct table_rows){ fields.rows, fields.nr_rows };
	table = add_table(document, report, rows);
	table->name = "fields";
	table->title = report->title;
	table->note = !fields.nr_rows ? "no calls were recorded; insideme-report -v summary says why" :
		OTHERS ": the rest of the threads' wall time; total: of a field's outermost calls; @name: in no field";
	table->data_columns = "field,functions,calls,self_ns,self_percent,total_ns,open_calls,alloc_calls,alloc_bytes,free_calls,"
		"freed_bytes,peak_heap_bytes,not_freed_bytes";
	table->text_sort = table->data_sort = report_has_times(report) ? "self_ns" : "calls";
	table->text_top = 20;
	table->formats = IN_TEXT | IN_JSON | (saved ? IN_CSV : 0);
	if (!saved)
		add_processes(document, report, processes);
	return 0;
}
