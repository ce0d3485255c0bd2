/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of fields, over the merged tree and over one process after the other. */
#include "analyzer/cells/field_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/slice_coverage.h"
#include "analyzer/calls/process_sums.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"

#define OTHERS "Others"

struct process_fields {
	const struct report *report;
	struct field_row *all;		/* [place of a field] of one process */
	uint32_t nr_fields;
	uint32_t *place_of;		/* [number of a function] of its field; nr_fields: in none */
	bool *is_outermost;		/* [id of a path]: it is below no path of its field */
	uint32_t *counted_in;		/* [number of a function] the reading that counted it last */
	uint32_t nr_readings;		/* of processes */
	struct field_rows own;		/* those with calls, most time first, and Others */
	size_t nr_given;		/* of own */
	struct heap_stats outside;	/* of all functions */
};

static int by_field(const void *a, const void *b)
{
	return strcmp((*(struct function *const *)a)->field, (*(struct function *const *)b)->field);
}

/* A row for each field of a function, by name. */
static void list_fields(struct process_fields *of, struct document *document, struct field_rows *fields)
{
	const struct model *model = of->report->model;
	struct function **functions = xcalloc(model->nr_functions + 1, sizeof(*functions));
	struct field_row *rows = document_new(document, (model->nr_functions + 2) * sizeof(*rows));
	struct field_row *last = NULL;

	for (size_t i = 0; i < model->nr_functions; i++)
		functions[i] = model->functions[i];
	qsort(functions, model->nr_functions, sizeof(*functions), by_field);
	for (size_t i = 0; i < functions_count(&model->tables->functions); i++)
		of->place_of[i] = UINT32_MAX;
	for (size_t i = 0; i < model->nr_functions; i++) {
		if (!last || strcmp(last->field, functions[i]->field) != 0) {
			last = &rows[of->nr_fields++];
			*last = (struct field_row){ .field = functions[i]->field, .stats = NO_CALLS,
						    .has_heap = report_has_heap(of->report) };
		}
		last->nr_functions++;
		of->place_of[functions[i]->number] = of->nr_fields - 1;
	}
	free(functions);
	*fields = (struct field_rows){ rows, of->nr_fields };
}

static void add(struct field_row *row, const struct function *function, const struct call_stats *stats,
		const struct heap_stats *heap, bool is_outermost)
{
	call_stats_add(&row->stats, stats);
	row->stats.has_recorded |= stats->calls && !function->is_counted;
	if (is_outermost)
		call_stats_add_total(&row->stats, stats);
	heap_stats_add(&row->heap, heap);
}

static void sum_up(struct process_fields *of, struct field_rows *fields)
{
	const struct model *model = of->report->model;
	uint32_t *places = xcalloc(model->nr_tree_nodes, sizeof(*places));	/* [id of a path] */
	struct tree_walk walk;

	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		uint32_t place = of->place_of[tree_node(model, id)->function->number];

		/* a function without calls is in no field */
		places[id] = place < of->nr_fields ? place : of->nr_fields;
	}
	tree_walk_begin(&walk, model, places, of->nr_fields);
	while (tree_walk_next(&walk)) {
		const struct call_stats stats = path_stats(walk.node);
		uint32_t place = places[walk.node->id];

		of->is_outermost[walk.node->id] = walk.is_outermost;
		if (place < of->nr_fields)
			add(&fields->rows[place], walk.node->function, &stats, walk.node->heap,
			    walk.is_outermost);
	}
	free(places);
}

struct process_fields *field_rows_make(struct document *document, const struct report *report,
				       struct field_rows *fields)
{
	size_t nr_functions = functions_count(&report->model->tables->functions);
	struct process_fields *of = document_new(document, sizeof(*of));

	of->report = report;
	of->place_of = document_new(document, nr_functions * sizeof(*of->place_of));
	of->counted_in = document_new(document, nr_functions * sizeof(*of->counted_in));
	of->is_outermost = document_new(document, report->model->nr_tree_nodes * sizeof(*of->is_outermost));
	list_fields(of, document, fields);
	sum_up(of, fields);
	of->all = document_new(document, (of->nr_fields + 1) * sizeof(*of->all));
	for (uint32_t i = 0; i < of->nr_fields; i++)
		of->all[i].field = fields->rows[i].field;
	of->own.rows = document_new(document, (of->nr_fields + 1) * sizeof(*of->own.rows));
	return of;
}

void field_rows_add_others(struct field_rows *fields, struct field_row row, double others_ns)
{
	row.field = OTHERS;
	/* below 0: a stopped clock, or hooks that cost less than was measured */
	row.all_ns = fmax(0, others_ns);
	row.stats.self_ns = isnan(others_ns) ? NAN : row.all_ns;
	for (size_t i = 0; i < fields->nr_rows; i++)
		row.all_ns += fmax(0, fields->rows[i].stats.self_ns);
	fields->rows[fields->nr_rows++] = row;
	for (size_t i = 0; i < fields->nr_rows; i++)
		fields->rows[i].all_ns = row.all_ns;
}

/* How long threads with calls lived. */
static double threads_ns(const struct process *process)
{
	double ns = 0;

	for (size_t j = 0; j < process->nr_threads; j++) {
		const struct thread *thread = process->threads[j];

		if (!thread->left_out && thread->calls)
			ns += thread_lived_ns(thread);
	}
	return ns;
}

static void add_sum(const struct process_sum *sum, void *context)
{
	struct process_fields *of = context;
	const struct function *function = sum->path->function;
	uint32_t place = function ? of->place_of[function->number] : UINT32_MAX;

	if (!function)
		heap_stats_add(&of->outside, &sum->heap);
	if (place >= of->nr_fields)
		return;
	add(&of->all[place], function, &sum->stats, &sum->heap, of->is_outermost[sum->path->id]);
	if (sum->stats.calls && of->counted_in[function->number] != of->nr_readings) {
		of->counted_in[function->number] = of->nr_readings;
		of->all[place].nr_functions++;
	}
}

static int by_self(const void *a, const void *b)
{
	const struct field_row *x = a, *y = b;

	if (x->stats.self_ns != y->stats.self_ns)
		return x->stats.self_ns < y->stats.self_ns ? 1 : -1;
	return strcmp(x->field, y->field);
}

/* The wall time of a process's threads without the time in functions and in hooks. May be below 0. */
static double others_ns_of(const struct process_fields *of, const struct process *process)
{
	if (!report_has_times(of->report))
		return NAN;
	return threads_ns(process) - process->functions_ns - (process->model->is_raw ? 0 : process->hooks_ns);
}

/* The rows of one process. */
static void read_process(struct process_fields *of, struct process *process)
{
	bool has_heap = report_has_heap(of->report);

	of->nr_readings++;
	of->outside = (struct heap_stats){ 0 };
	of->own.nr_rows = of->nr_given = 0;
	for (uint32_t i = 0; i < of->nr_fields; i++)
		of->all[i] = (struct field_row){
			.field = of->all[i].field, .process = process, .has_heap = has_heap, .stats = NO_CALLS
		};
	process_sums_each(process, add_sum, of);
	for (uint32_t i = 0; i < of->nr_fields; i++) {
		struct call_stats *stats = &of->all[i].stats;

		if (!stats->calls)
			continue;
		/* the hooks of what an open call made are subtracted, though its time may not be known */
		stats->total_ns = fmax(stats->total_ns, stats->self_ns);
		of->own.rows[of->own.nr_rows++] = of->all[i];
	}
	if (!of->own.nr_rows)
		return;
	qsort(of->own.rows, of->own.nr_rows, sizeof(*of->own.rows), by_self);
	field_rows_add_others(
		&of->own, (struct field_row){ .process = process, .has_heap = has_heap, .heap = of->outside },
		others_ns_of(of, process));
}

size_t process_fields_sum(const struct process_fields *of, double *others_ns)
{
	const struct model *model = of->report->model;
	size_t nr = 0;

	*others_ns = 0;
	for (size_t i = 0; i < model->nr_processes; i++) {
		const double ns = others_ns_of(of, model->processes[i]);

		if (!model->processes[i]->calls)
			continue;
		*others_ns += isnan(ns) ? NAN : fmax(0, ns);
		nr++;
	}
	return nr;
}

bool process_fields_next(struct table *table, void *row)
{
	struct process_fields *of = table->source;
	const struct model *model = of->report->model;

	while (of->nr_given == of->own.nr_rows) {
		if (table->at == model->nr_processes) {
			table->at = of->own.nr_rows = of->nr_given = 0;
			return false;
		}
		read_process(of, model->processes[table->at++]);
	}
	memcpy(row, &of->own.rows[of->nr_given++], sizeof(*of->own.rows));
	return true;
}
