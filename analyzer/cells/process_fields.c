/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields by process, one process after the other. */
#include "analyzer/cells/process_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/calls/slice_coverage.h"
#include "analyzer/calls/sums_by_process.h"
#include "analyzer/model/tree.h"

struct process_fields {
	const struct report *report;
	const struct field_rows *fields;	/* of all */
	const bool *is_outermost;
	struct field_row *all;			/* [likewise] of one process */
	struct field_rows own;			/* those with calls, most time first, and Others */
	size_t nr_given;			/* of own */
	struct heap_stats outside;		/* of all functions */
	const struct process *process;
};

struct process_fields *process_fields_new(struct document *document, const struct report *report, const struct field_rows *fields,
					  const bool *is_outermost)
{
	struct process_fields *of = document_new(document, sizeof(*of));

	*of = (struct process_fields){ .report = report, .fields = fields, .is_outermost = is_outermost };
	of->all = document_new(document, (fields->nr_rows + 1) * sizeof(*of->all));
	of->own.rows = document_new(document, (fields->nr_rows + 1) * sizeof(*of->own.rows));
	return of;
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
	struct function *function = sum->path->function;
	struct field_row *all = function ? field_rows_find(of->fields, function) : NULL, *row;

	if (!function)
		heap_stats_add(&of->outside, &sum->heap);
	if (!all)
		return;
	row = &of->all[all - of->fields->rows];
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

/* The rows of one process. Others is wall time of its threads less what they were in functions, and in hooks. */
static void read_process(struct process_fields *of, struct process *process)
{
	bool has_heap = report_has_heap(of->report);
	double others_ns = report_has_times(of->report) ? threads_ns(process) - process->functions_ns : NAN, hooks_ns;

	of->process = process;
	of->outside = (struct heap_stats){ 0 };
	of->own.nr_rows = of->nr_given = 0;
	for (size_t i = 0; i < of->fields->nr_rows; i++)
		of->all[i] = (struct field_row){ .field = of->fields->rows[i].field, .process = process, .has_heap = has_heap,
			.stats = { .min_ns = NAN, .max_ns = NAN, .finished_max_ns = NAN } };
	hooks_ns = process_sums_each(process, add_sum, of);
	for (size_t i = 0; i < of->fields->nr_rows; i++)
		if (of->all[i].stats.calls)
			of->own.rows[of->own.nr_rows++] = of->all[i];
	if (!of->own.nr_rows)
		return;
	qsort(of->own.rows, of->own.nr_rows, sizeof(*of->own.rows), by_self);
	field_rows_add_others(&of->own, (struct field_row){ .process = process, .has_heap = has_heap, .heap = of->outside },
			      others_ns - (process->model->is_raw ? 0 : hooks_ns));
}

/* A function is counted once in each reading of a process. */
static void forget_functions(const struct model *model)
{
	for (size_t i = 0; i < model->nr_functions; i++)
		model->functions[i]->counted_in = NULL;
}

size_t process_fields_sum(struct process_fields *of, double *others_ns)
{
	const struct model *model = of->report->model;
	size_t nr = 0;

	*others_ns = 0;
	forget_functions(model);
	for (size_t i = 0; i < model->nr_processes; i++) {
		read_process(of, model->processes[i]);
		if (!of->own.nr_rows)
			continue;
		*others_ns += of->own.rows[of->own.nr_rows - 1].stats.self_ns;
		nr++;
	}
	of->own.nr_rows = of->nr_given = 0;
	return nr;
}

bool process_fields_next(struct table *table, void *row)
{
	struct process_fields *of = table->source;
	const struct model *model = of->report->model;

	if (!table->at)
		forget_functions(model);
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
