/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cells/run_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/cells/process_tree.h"

/* ---- of runs ---- */

static double sum_over_processes(const struct report *report, uint32_t run, double (*of)(const struct process *process))
{
	const struct model *model = report->model;
	double sum = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->run == run)
			sum += of(model->processes[i]);
	return sum;
}

static double calls_of(const struct process *process) { return (double)process->calls; }
static double functions_ns_of(const struct process *process) { return fmax(process->functions_ns, 0); }

static double heap_of(const struct process *process, uint64_t number)
{
	return process->header.heap_bytes == LOG_HEAP_OFF ? NAN : (double)number;
}

static double alloc_calls_of(const struct process *process) { return heap_of(process, process->heap.alloc_calls); }
static double alloc_bytes_of(const struct process *process) { return heap_of(process, process->heap.alloc_bytes); }
static double peak_bytes_of(const struct process *process) { return heap_of(process, process->heap_peak_bytes); }

static double not_freed_of(const struct process *process)
{
	return process->heap.live_records ? (double)process->heap.not_freed_bytes : NAN;
}

static double run_calls(const struct report *report, uint32_t run) { return sum_over_processes(report, run, calls_of); }
static double run_functions_ns(const struct report *report, uint32_t run)
{
	return report_has_times(report) ? sum_over_processes(report, run, functions_ns_of) : NAN;
}
static double run_alloc_calls(const struct report *report, uint32_t run)
{
	return sum_over_processes(report, run, alloc_calls_of);
}
static double run_alloc_bytes(const struct report *report, uint32_t run)
{
	return sum_over_processes(report, run, alloc_bytes_of);
}
static double run_heap_peak(const struct report *report, uint32_t run)
{
	return sum_over_processes(report, run, peak_bytes_of);
}
static double run_not_freed(const struct report *report, uint32_t run)
{
	return sum_over_processes(report, run, not_freed_of);
}

static struct usage run_usage(const struct report *report, uint32_t run)
{
	struct usage sum = { NAN, NAN, NAN, NAN };
	struct family family;
	bool is_first = true;

	family_init(&family, report->model);
	for (size_t i = 0; i < family.nr; i++) {
		if (family.members[i].run != run)
			continue;
		if (is_first)
			sum = family.members[i].usage;
		else
			usage_add(&sum, &family.members[i].usage);
		is_first = false;
	}
	family_release(&family);
	return sum;
}

static double run_cpu(const struct report *report, uint32_t run) { return run_usage(report, run).cpu_ns; }
static double run_peak_rss(const struct report *report, uint32_t run) { return run_usage(report, run).peak_rss_bytes; }

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

/* Of one run its sums are the function's own. */
static struct run_part part_of(const struct function *function, uint32_t run)
{
	if (function->parts)
		return function->parts[run];
	return (struct run_part){ function->stats.calls, function->stats.self_ns, function->stats.total_ns };
}

static struct heap_part heap_part_of(const struct function *function, uint32_t run)
{
	const struct heap_stats *heap = &function->heap;

	if (function->heap_parts)
		return function->heap_parts[run];
	return (struct heap_part){ heap->alloc_calls, heap->alloc_bytes, heap->peak_bytes, heap->not_freed_bytes };
}

static double function_calls(const struct function *of, uint32_t run) { return (double)part_of(of, run).calls; }
static double function_self(const struct function *of, uint32_t run) { return fmax(part_of(of, run).self_ns, 0); }
static double function_total(const struct function *of, uint32_t run) { return fmax(part_of(of, run).total_ns, 0); }
static double function_alloc_calls(const struct function *of, uint32_t run)
{
	return (double)heap_part_of(of, run).alloc_calls;
}
static double function_alloc_bytes(const struct function *of, uint32_t run)
{
	return (double)heap_part_of(of, run).alloc_bytes;
}
static double function_peak(const struct function *of, uint32_t run) { return (double)heap_part_of(of, run).peak_bytes; }
static double function_not_freed(const struct function *of, uint32_t run)
{
	return (double)heap_part_of(of, run).not_freed_bytes;
}

const struct figure figures[] = {
	{ "cpu_ns", UNIT_NS, true, run_cpu, NULL },
	{ "elapsed_ns", UNIT_NS, true, run_elapsed, NULL },
	{ "functions_ns", UNIT_NS, true, run_functions_ns, NULL },
	{ "peak_rss_bytes", UNIT_BYTES, true, run_peak_rss, NULL },
	{ "heap_peak_bytes", UNIT_BYTES, false, run_heap_peak, NULL },
	{ "calls", UNIT_COUNT, false, run_calls, function_calls },
	{ "alloc_calls", UNIT_COUNT, false, run_alloc_calls, function_alloc_calls },
	{ "alloc_bytes", UNIT_BYTES, false, run_alloc_bytes, function_alloc_bytes },
	{ "not_freed_bytes", UNIT_BYTES, false, run_not_freed, function_not_freed },
	{ "peak_heap_bytes", UNIT_BYTES, false, NULL, function_peak },
	{ "self_ns", UNIT_NS, true, NULL, function_self },
	{ "total_ns", UNIT_NS, true, NULL, function_total },
	{ NULL, UNIT_NONE, false, NULL, NULL },
};

const struct figure *figure_find(const char *name, size_t length)
{
	for (const struct figure *figure = figures; figure->name; figure++)
		if (strlen(figure->name) == length && memcmp(figure->name, name, length) == 0)
			return figure;
	return NULL;
}

static double of_functions(const struct figure *figure, const char *pattern, const struct report *report, uint32_t run)
{
	const struct model *model = report->model;
	double sum = 0;

	if (model->nr_runs > 1 && model->nr_parts != model->nr_runs)
		return NAN;
	for (size_t i = 0; i < model->nr_functions; i++) {
		const struct function *function = model->functions[i];
		bool has_parts = model->nr_runs == 1 || function->parts || function->heap_parts;

		if (has_parts && name_matches(pattern, function->name))
			sum += figure->of_function(function, run);
	}
	return sum;
}

double *figure_values(const struct figure *figure, const char *pattern, const struct report *report)
{
	uint32_t nr_runs = (uint32_t)report->model->nr_runs;
	double *values = xcalloc(nr_runs + 1, sizeof(*values));

	for (uint32_t run = 0; run < nr_runs; run++)
		values[run] = pattern ? of_functions(figure, pattern, report, run) : figure->of_run(report, run);
	return values;
}
