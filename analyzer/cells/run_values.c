/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cells/run_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/cells/process_tree.h"
#include "analyzer/model/run_parts.h"

/* ---- of runs ---- */

static double calls_of(const struct process *process) { return (double)process->calls; }

static double heap_of(const struct process *process, uint64_t number)
{
	return process->header.heap_bytes == LOG_HEAP_OFF ? NAN : (double)number;
}

static double alloc_calls_of(const struct process *process)
{
	return heap_of(process, process->heap.alloc_calls);
}
static double alloc_bytes_of(const struct process *process)
{
	return heap_of(process, process->heap.alloc_bytes);
}
static double peak_bytes_of(const struct process *process)
{
	return heap_of(process, process->heap_peak_bytes);
}

static double not_freed_of(const struct process *process)
{
	/* a process that allocated nothing has left nothing; sampling does not count allocations */
	bool has_none = process->header.heap_bytes != LOG_HEAP_SAMPLED && alloc_calls_of(process) == 0;

	return process->heap.live_records || has_none ? (double)process->heap.not_freed_bytes : NAN;
}

static struct usage run_usage(const struct report *report, uint32_t run)
{
	struct usage sum = { NAN, NAN, NAN, NAN };
	struct process_tree tree;
	bool is_first = true;

	process_tree_init(&tree, report->model);
	for (size_t i = 0; i < tree.nr; i++) {
		struct usage usage;

		if (tree.members[i].run != run)
			continue;
		usage = member_usage(&tree.members[i]);
		if (is_first)
			sum = usage;
		else
			usage_add(&sum, &usage);
		is_first = false;
	}
	process_tree_release(&tree);
	return sum;
}

static double run_cpu(const struct report *report, uint32_t run) { return run_usage(report, run).cpu_ns; }
static double run_peak_rss(const struct report *report, uint32_t run)
{
	return run_usage(report, run).peak_rss_bytes;
}

static double run_elapsed(const struct report *report, uint32_t run)
{
	const struct model *model = report->model;
	int64_t last = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->run == run && model->processes[i]->last > last)
			last = model->processes[i]->last;
	return (double)last;
}

/* ---- of functions ---- */

/* With one run, its sums are those of the function. */
static double of_function(const struct function *function, enum function_figure which, uint32_t run)
{
	const struct call_stats *stats = &function->stats;
	const struct heap_stats *heap = &function->heap;
	const struct heap_part blocks =
		function->heap_parts
			? function->heap_parts[run]
			: (struct heap_part){ (double)heap->alloc_calls, (double)heap->alloc_bytes,
					      (double)heap->peak_bytes, (double)heap->not_freed_bytes };
	const double numbers[] = {
		[OF_CALLS] = function->parts ? function->parts[run].calls : (double)stats->calls,
		[OF_SELF_NS] = part_self_ns(function, run),
		[OF_TOTAL_NS] = part_total_ns(function, run),
		[OF_SELF_CPU_NS] = part_cpu_ns(function, run),
		[OF_ALLOC_CALLS] = blocks.alloc_calls,
		[OF_ALLOC_BYTES] = blocks.alloc_bytes,
		[OF_PEAK_BYTES] = blocks.peak_bytes,
		[OF_NOT_FREED_BYTES] = blocks.not_freed_bytes,
	};

	return numbers[which] < 0 ? 0 : numbers[which];	/* or NAN */
}

static double run_functions_ns(const struct report *report, uint32_t run)
{
	const struct model *model = report->model;
	double sum = report_has_times(report) ? 0 : NAN;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->run == run)
			sum += fmax(model->processes[i]->functions_ns, 0);
	return sum;
}

const struct figure figures[] = {
	{ "cpu_ns", UNIT_NS, true, run_cpu, NULL, OF_NO_FUNCTION },
	{ "elapsed_ns", UNIT_NS, true, run_elapsed, NULL, OF_NO_FUNCTION },
	{ "functions_ns", UNIT_NS, true, run_functions_ns, NULL, OF_NO_FUNCTION },
	{ "peak_rss_bytes", UNIT_BYTES, true, run_peak_rss, NULL, OF_NO_FUNCTION },
	{ "heap_peak_bytes", UNIT_BYTES, false, NULL, peak_bytes_of, OF_NO_FUNCTION },
	{ "calls", UNIT_COUNT, false, NULL, calls_of, OF_CALLS },
	{ "alloc_calls", UNIT_COUNT, false, NULL, alloc_calls_of, OF_ALLOC_CALLS },
	{ "alloc_bytes", UNIT_BYTES, false, NULL, alloc_bytes_of, OF_ALLOC_BYTES },
	{ "not_freed_bytes", UNIT_BYTES, false, NULL, not_freed_of, OF_NOT_FREED_BYTES },
	{ "peak_heap_bytes", UNIT_BYTES, false, NULL, NULL, OF_PEAK_BYTES },
	{ "self_ns", UNIT_NS, true, NULL, NULL, OF_SELF_NS },
	{ "total_ns", UNIT_NS, true, NULL, NULL, OF_TOTAL_NS },
	{ "self_cpu_ns", UNIT_NS, true, NULL, NULL, OF_SELF_CPU_NS },
	{ NULL, UNIT_NONE, false, NULL, NULL, OF_NO_FUNCTION },
};

bool figure_is_of_runs(const struct figure *figure)
{
	return figure->of_run || figure->of_process;
}

const struct figure *figure_find(const char *name, size_t length)
{
	for (const struct figure *figure = figures; figure->name; figure++)
		if (strlen(figure->name) == length && memcmp(figure->name, name, length) == 0)
			return figure;
	return NULL;
}

/* Of functions together in a run. */
struct pattern_sum {
	double known;
	double left_out; /* at most, of figures that are not known */
	double estimated; /* the mean of all runs, in place of figures that are not known */
	size_t nr_unknown;
};

#define LEFT_OUT_MOST	0.01	/* of a sum */
#define ESTIMATED_MOST	0.05

/*
 * One function's unknown figure does not make the sum of all unknown. In its place counts:
 * - of CPU time 0, if the time that passed is short beside the sum;
 * - of a self time that no run knows 0: samples never met this counted function;
 * - of a time that only all runs together have samples enough for, their mean.
 */
static void add_to_sum(struct pattern_sum *sum, const struct figure *figure, const struct function *function,
		       uint32_t run, const struct model *model)
{
	double nr_runs = (double)model->nr_runs;
	const struct call_stats *stats = &function->stats;
	double value = of_function(function, figure->of_function, run), estimate = INFINITY;

	if (!isnan(value)) {
		sum->known += value;
		return;
	}
	sum->nr_unknown++;
	if (figure->of_function == OF_SELF_CPU_NS) {
		sum->left_out += fmax(part_self_ns(function, run), 0);	/* 0 instead of NAN */
		return;
	}
	if (figure->of_function == OF_SELF_NS)
		estimate = call_stats_know_self(stats) ? fmax(stats->self_ns, 0) / nr_runs
			   : model->samples.nr	       ? 0
						       : INFINITY;
	else if (figure->of_function == OF_TOTAL_NS && call_stats_know_total(stats))
		estimate = fmax(stats->total_ns, 0) / nr_runs;
	sum->estimated += estimate;
}

static double sum_value(const struct pattern_sum *sum)
{
	bool is_known = !sum->nr_unknown || (sum->known > 0 && sum->left_out <= LEFT_OUT_MOST * sum->known &&
					     sum->estimated <= ESTIMATED_MOST * sum->known);

	return is_known ? sum->known + sum->estimated : NAN;
}

static void add_functions(double *values, const struct figure *figure, const char *pattern,
			  const struct model *model)
{
	bool are_known = model->nr_runs == 1 || model->nr_parts == model->nr_runs;
	struct pattern_sum *sums = xcalloc(model->nr_runs, sizeof(*sums));

	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct function *function = model->functions[i];
		bool has_parts = model->nr_runs == 1 || function->parts || function->heap_parts ||
				 (figure->of_function == OF_SELF_CPU_NS && function->cpu_runs_ns);

		if (!has_parts || !name_matches(pattern, function->name))
			continue;
		for (uint32_t run = 0; run < model->nr_runs; run++)
			add_to_sum(&sums[run], figure, function, run, model);
	}
	for (uint32_t run = 0; run < model->nr_runs; run++)
		values[run] = are_known ? sum_value(&sums[run]) : NAN;
	free(sums);
}

static double of_run(const struct figure *figure, const struct report *report, uint32_t run)
{
	const struct model *model = report->model;
	double sum = 0;

	if (figure->of_run)
		return figure->of_run(report, run);
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->run == run)
			sum += figure->of_process(model->processes[i]);
	return sum;
}

double *figure_values(const struct figure *figure, const char *pattern, const struct report *report)
{
	uint32_t nr_runs = (uint32_t)report->model->nr_runs;
	double *values = xcalloc(nr_runs + 1, sizeof(*values));

	if (pattern)
		add_functions(values, figure, pattern, report->model);
	for (uint32_t run = 0; !pattern && run < nr_runs; run++)
		values[run] = of_run(figure, report, run);
	return values;
}
