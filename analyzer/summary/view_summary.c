/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first page. */
#include "analyzer/read/ends_read.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/calls/function_resources.h"
#include "analyzer/cells/cells.h"
#include "analyzer/counted/counted_samples.h"
#include "analyzer/read/samples_read.h"
#include "analyzer/resources/series.h"
#include "analyzer/summary/doubts.h"
#include "analyzer/summary/summary.h"
#include "analyzer/views/heap_sites.h"
#include "analyzer/views/view_balance.h"
#include "analyzer/views/view_mpi.h"

#define TOP_FUNCTIONS	8
#define TOP_WAITS	5
#define TOP_ALLOCATORS	5
#define DOUBTS_MAX	8

/* One row for csv and json: the run as numbers. */
enum {
	RUN_PATH,
	RUN_COMMAND,
	RUN_END,
	RUN_START,
	RUN_ELAPSED,
	RUN_PROCESSES,
	RUN_THREADS,
	RUN_FUNCTIONS,
	RUN_CALLS,
	RUN_SLICES,
	RUN_FUNCTIONS_NS,
	RUN_LOG_BYTES,
	RUN_STATUS,
	RUN_SIGNAL
};

static struct value get_run_end(const struct column *column, const struct process *process)
{
	static char text[256];

	if (column->index == RUN_STATUS)
		return process->end_kind == END_EXIT ? value_integer(UNIT_NONE, process->end_status)
						     : value_empty();
	if (column->index == RUN_SIGNAL)
		return process->end_kind == END_SIGNAL ? value_integer(UNIT_NONE, process->end_status)
						       : value_empty();
	return value_text(process_end_text(process, text, sizeof(text)));
}

static struct value get_run(const struct column *column, const void *row)
{
	const struct report *report = row;
	const struct model *model = report->model;
	const int64_t numbers[] = {
		[RUN_START] = (int64_t)model->start_realtime_ns,
		[RUN_ELAPSED] = model->end,
		[RUN_PROCESSES] = (int64_t)summary_count_processes(model),
		[RUN_THREADS] = column->index == RUN_THREADS ? (int64_t)report_threads(report) : 0,
		[RUN_FUNCTIONS] = (int64_t)model->nr_functions,
		[RUN_CALLS] = (int64_t)model->calls,
		[RUN_SLICES] = (int64_t)model->nr_slices,
		[RUN_FUNCTIONS_NS] = (int64_t)model->functions_ns,
		[RUN_LOG_BYTES] = (int64_t)(model->log_bytes + model->saved_log_bytes),
	};

	if (column->index == RUN_PATH)
		return value_text(report->runs[0].path);
	if (column->index >= RUN_START && column->index <= RUN_LOG_BYTES)
		return value_integer(UNIT_NONE, numbers[column->index]);
	if (!model->nr_processes)
		return value_empty();
	if (column->index == RUN_COMMAND)
		return value_text(model->processes[0]->command);
	return get_run_end(column, report_ended(report));
}

static const struct column run_columns[] = {
	{ "run", "", 0, get_run, RUN_PATH },
	{ "command", "", 0, get_run, RUN_COMMAND },
	{ "end", "", 0, get_run, RUN_END },
	{ "exit_status", "", 0, get_run, RUN_STATUS },
	{ "signal", "", 0, get_run, RUN_SIGNAL },
	{ "start_realtime_ns", "", 0, get_run, RUN_START },
	{ "elapsed_ns", "", 0, get_run, RUN_ELAPSED },
	{ "processes", "", 0, get_run, RUN_PROCESSES },
	{ "threads", "", 0, get_run, RUN_THREADS },
	{ "functions", "", 0, get_run, RUN_FUNCTIONS },
	{ "calls", "", 0, get_run, RUN_CALLS },
	{ "single_calls", "", 0, get_run, RUN_SLICES },
	{ "functions_ns", "", 0, get_run, RUN_FUNCTIONS_NS },
	{ "log_bytes", "", 0, get_run, RUN_LOG_BYTES },
};

static void add_run_table(struct document *document, struct report *report)
{
	document_add_table(document, &(struct table){
		.name = "run",
		TABLE_COLUMNS(run_columns),
		.aside = true,
		.rows = TABLE_ROWS(report, 1),
		.formats = IN_CSV | IN_JSON,
	});
}

/* Makes a command apply to this run: " NAME", or "" for the newest run. */
static const char *newest_or_name(struct document *document, const struct report *report)
{
	return report->runs[0].newer ? document_text(document, " %s", report->runs[0].name) : "";
}

static const char *columns_of(struct report *report)
{
	if (report->model->is_sampled && samples_know_waits(report->model))
		return "sampled_self_ns,samples_percent,samples_error_percent,sampled_total_ns,"
			"waiting_total_ns,function,source";
	if (report->model->is_sampled)
		return "sampled_self_ns,samples_percent,samples_error_percent,sampled_total_ns,"
			"function,source";
	if (functions_are_by_cpu(report))
		return report_has_errors(report)
			       ? "self_cpu_ns,self_error_ns,self_cpu_percent,self_wait_ns,self_blocked_ns,"
				 "total_ns,calls,function,source"
			       : "self_cpu_ns,self_cpu_percent,self_wait_ns,self_blocked_ns,total_ns,calls,"
				 "function,source";
	if (report_has_errors(report))
		return "self_ns,self_error_ns,self_percent,total_ns,calls,mean_ns,function,source";
	if (report_has_times(report))
		return "self_ns,self_percent,total_ns,calls,mean_ns,function,source";
	return "calls,function,source";
}

#define HOOKS_LEAST  0.02	/* a smaller part of the CPU time is not worth a line */
#define SLOWER_LEAST 1.1	/* less is not worth a number */
#define SLOWER_MOST  20		/* more is not known: it is what a small difference leaves */

/*
 * A lower bound of what hooks took. One is by the measured cost of a call, less its uncertainty: a call among
 * other code costs less. One is by samples, and what is around the hooks, less the standard error of each.
 * The larger one counts. Neither has what the compiler optimizes less around hooks.
 */
static double least_hooks_ns(const struct model *model)
{
	const struct sample_stats *samples = &model->samples;
	double by_samples_ns =
		samples->in_hooks ? samples->hooks_ns * (1 - 1 / sqrt((double)samples->in_hooks)) : 0;

	by_samples_ns += model->around_ns * (1 - AROUND_ERROR);
	return fmax(model->hooks_ns - model->hooks_noise_ns, by_samples_ns);
}

/* The program's CPU time with hooks, as a multiple of its CPU time without them, at least: rounded down. */
static const char *factor_text(struct document *document, double cpu_ns, double hooks_ns)
{
	double without_ns = cpu_ns - hooks_ns,
	       factor = floor(10 * cpu_ns / fmax(without_ns, cpu_ns / SLOWER_MOST)) / 10;

	return factor < SLOWER_LEAST ? "" :
	       document_text(document, ", which is at least %.1f times what it is without them", factor);
}

/* A line about the CPU time that the hooks took; "" if they took hardly any. */
static const char *slower_text(struct document *document, const struct report *report, double cpu_ns)
{
	const struct model *model = report->model;
	double hooks_ns = fmin(least_hooks_ns(model), cpu_ns);

	if (model->is_raw || !(cpu_ns > 0) || hooks_ns < HOOKS_LEAST * cpu_ns)
		return "";
	return document_text(document, "\nhooks took %s or more of the CPU time%s%s%s",
			     document_number(document, UNIT_NS, hooks_ns),
			     factor_text(document, cpu_ns, hooks_ns),
			     report_has_counted(report)
				     ? ", and more where they kept the compiler from inlining" : "",
			     model->used_ns[USE_CPU_NS] + hooks_ns > (1 + HOOKS_LEAST) * cpu_ns
				     ? "; part of that is still in the times of functions, above all those "
				       "marked ≤ or ~"
				     : "");
}

#define OUTSIDE_LEAST	 0.1	/* of the CPU time; less is not worth a line */
#define OUTSIDE_LEAST_NS 50e6	/* less is a program's start */

/*
 * A line about CPU time that is in no function and was not taken by hooks; "" if there is hardly any. What
 * counting cost is known badly.
 */
static const char *outside_text(struct document *document, struct report *report, double cpu_ns)
{
	const struct model *model = report->model;
	double hooks_ns = fmax(least_hooks_ns(model), model->hooks_ns + model->hooks_noise_ns);
	double outside_ns =
		cpu_ns - model->used_ns[USE_CPU_NS] - (report_has_counted(report) ? 2 : 1) * hooks_ns;

	if (!functions_know_shares(report) || model->is_raw || !(outside_ns > OUTSIDE_LEAST * cpu_ns) ||
	    outside_ns < OUTSIDE_LEAST_NS)
		return "";
	return document_text(document,
			     "\n%s of the CPU time, %.0f %%, is in no recorded function: of code without "
			     "hooks, or of threads that wait for work and spin, as those of OpenMP",
			     document_number(document, UNIT_NS, outside_ns), 100 * outside_ns / cpu_ns);
}

static const char *shares_text(struct document *document, struct report *report)
{
	const double all_ns = functions_used_ns(report), *used_ns = report->model->used_ns;
	int percent[3], before = 0;
	double sum_ns = 0;

	if (!functions_know_shares(report) || !(all_ns > 0))
		return "";
	for (int i = 0; i < 3; i++) {	/* rounded so that their sum is 100 */
		sum_ns += used_ns[i];
		percent[i] = (int)lround(100 * sum_ns / all_ns) - before;
		before += percent[i];
	}
	return document_text(document,
			     "\nof these %s %d %% on a processor, %d %% ready but waiting for one, "
			     "%d %% blocked",
			     document_number(document, UNIT_NS, report->model->functions_ns),
			     percent[USE_CPU_NS], percent[USE_WAIT_NS], percent[USE_BLOCKED_NS]);
}

static void add_time(struct document *document, struct report *report)
{
	struct table table;
	struct section *section;
	const char *cpu;
	double cpu_ns = NAN;

	add_run_table(document, report);
	if (!report->model->nr_functions) {
		summary_no_functions(document, report);
		return;
	}
	cpu = report_is_of_threads(report) ? "" : summary_cpu(document, report->model, &cpu_ns);
	section = document_add(
		document, "Time",
		report->model->is_sampled
			? document_text(document, "%s in functions, by %" PRIu64 " samples%s%s",
					document_number(document, UNIT_NS, report->model->samples.ns),
					report->model->samples.nr, cpu[0] ? "; " : "", cpu)
		: report_has_times(report)
			? document_text(document, "%s in functions, summed over %s%s%s",
					document_number(document, UNIT_NS, report->model->functions_ns),
					document_count(document, report_threads_with_calls(report),
						       "thread"),
					cpu[0] ? "; " : "", cpu)
			: "calls were counted, not timed");
	section->text = document_text(document, "%s%s", section->text, shares_text(document, report));
	if (report_has_times(report) && report->nr_runs == 1)
		section->text = document_text(document, "%s%s%s", section->text,
					      outside_text(document, report, cpu_ns),
					      slower_text(document, report, cpu_ns));
	if (report_has_counted(report))
		section->text = document_text(document,
					      "%s\nshort functions were counted; their time, marked ≈, is "
					      "from CPU samples",
					      section->text);
	section->apart = section->wraps = true;
	table = functions_table(document, report, false);
	table.text_columns = columns_of(report);
	table.text_top = table.data_top = TOP_FUNCTIONS;
	document_add_table(document, &table);
}

/*
 * Which calls waited longest, and what for. Text alone: in csv and json it is the view of waits. Return:
 * false if none did
 */
static bool add_waits(struct document *document, const struct report *report)
{
	struct table table = waits_table(document, report);
	struct section *section;

	if (!table.rows.nr)
		return false;
	section = document_add(document, "Waits", table.note);
	section->apart = section->wraps = true;
	table.title = table.note = NULL;
	table.text_top = TOP_WAITS;
	table.formats = IN_TEXT;
	table.aside = true;
	document_add_table(document, &table);
	return true;
}

static void add_mpi(struct document *document, const struct report *report)
{
	const char *lead = mpi_lead(document, report->model);
	struct section *section;

	if (!lead)
		return;
	section = document_add(document, "MPI", lead);
	section->apart = section->wraps = true;
}

static const char *memory_lead(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	const struct heap_stats *outside = model->root->heap;
	struct series heap;
	const char *text;

	if (model->heap.nr_samples)
		return document_text(document, "heap %s", heap_sampled_text(document, report));
	if (report_has_live_heap(report))
		return document_text(document, "heap %s; %s not freed", heap_peak_text(document, report),
			document_number(document, UNIT_BYTES, model->heap.not_freed_bytes));
	series_of_all(&heap, model, "process", "heap_bytes", 64);
	text = document_text(document, "%s in %s",
		document_number(document, UNIT_BYTES, model->heap.alloc_bytes),
		document_count(document, model->heap.alloc_calls, "allocation"));
	if (model->calls)
		text = document_text(document, "%s, %s of it outside of functions", text,
				     document_number(document, UNIT_BYTES, outside->alloc_bytes));
	if (heap.known && !report_is_of_threads(report) && model->nr_runs == 1)
		text = document_text(document, "%s\nlargest sample of the heap: %s, %s after the start", text,
			document_number(document, UNIT_BYTES, heap.peak),
			document_number(document, UNIT_NS, heap.peak_time));
	series_release(&heap);
	return text;
}

static void add_memory(struct document *document, struct report *report)
{
	struct section *section;
	struct table table;

	if (!report_has_heap(report) || !report->model->heap.alloc_calls)
		return;
	section = document_add(document, "Memory", memory_lead(document, report));
	section->apart = section->wraps = true;
	if (report->model->heap.alloc_calls == report->model->root->heap->alloc_calls)
		return;
	table = functions_table(document, report, true);
	table.name = "allocators";
	table.what = "functions";
	table.text_columns = report_has_live_heap(report) ?
		"peak_heap_bytes,alloc_calls,alloc_bytes,not_freed_bytes,function,source" :
		"alloc_bytes,alloc_calls,freed_bytes,largest_alloc_bytes,function,source";
	table.data_columns =
		"function,module,alloc_calls,alloc_bytes,free_calls,freed_bytes,largest_alloc_bytes,"
		"peak_heap_bytes,not_freed_bytes";
	table.text_sort = table.data_sort = report_has_live_heap(report) ? "peak_heap_bytes" : "alloc_bytes";
	table.text_top = table.data_top = TOP_ALLOCATORS;
	table.aside = true;
	document_add_table(document, &table);
}

static void add_doubts(struct document *document, const struct model *model, bool apart)
{
	const char *label = "Doubts";
	struct section *section;
	struct findings findings;
	size_t nr = 0;

	findings_collect(&findings, document, model);
	for (size_t i = 0; i < findings.nr; i++) {
		if (!findings.list[i].is_doubt || nr++ >= DOUBTS_MAX)
			continue;
		section = document_add(document, label, findings.list[i].text);
		section->apart = apart;
		section->wraps = true;
		label = "";
		apart = false;
	}
	if (nr > DOUBTS_MAX)
		document_add(document, label,
			     document_text(document, "%zu more: -v quality", nr - DOUBTS_MAX));
	findings_release(&findings);
}

static void add_next(struct document *document, const struct report *report, bool has_waits)
{
	const char *run = newest_or_name(document, report);
	const char *pattern =
		report->model->nr_functions
			? "insideme-report -v functions%1$s    every function, with "
				"percentiles\ninsideme-report -v tree%1$s         the same time by call "
				"path\ninsideme-report -v calls%1$s        longest single calls, and their "
				"memory\ninsideme-report -v heap%1$s         who allocates, what lived at "
				"the peak, what is never freed\ninsideme-report -v resources%1$s    CPU, "
				"memory, faults and I/O over time"
			: "insideme-report -v resources%1$s    CPU, memory, faults and I/O over time\n"
			  "insideme-report -v quality%1$s      how far to trust this";
	const char *heap =
		report->model->nr_functions || !report_has_heap(report)
			? ""
			: document_text(document,
					"insideme-report -v heap%s         who allocates, or how to know\n",
					run);
	char *text = document_text(document, "%s%s", heap, document_text(document, pattern, run));
	struct section *section;

	if (has_waits)
		text = document_text(document,
				     "%s\ninsideme-report -v waits%s        which locks, files and sleeps "
				     "threads waited for",
				     text, run);
	if (mpi_is_called(report->model))
		text = document_text(document,
				     "%s\ninsideme-report -v mpi%s          MPI calls by caller and line: "
				     "time, waiting, bytes",
				     text, run);
	if (report->model->nr_functions && balance_compares(report->model))
		text = document_text(document,
				     "%s\ninsideme-report -v balance%s      how evenly threads or ranks "
				     "share the work",
				     text, run);
	if (report->model->nr_processes + report->model->nr_unseen > 1)
		text = document_text(document,
				     "%s\ninsideme-report -v processes%s    each process: time, CPU, memory, "
				     "how it ended",
				     text, run);
	section = document_add(document, "Next", text);
	section->apart = section->wraps = true;
}

int view_summary(struct document *document, struct report *report)
{
	size_t nr_sections;
	bool has_waits;

	summary_run(document, report);
	/* these are of whole processes of a single run */
	if (!report_is_of_threads(report) && report->nr_runs == 1)
		summary_resources(document, report);
	add_time(document, report);
	has_waits = add_waits(document, report);
	add_mpi(document, report);
	add_memory(document, report);
	nr_sections = document->nr_sections;
	summary_others(document, report);
	add_doubts(document, report->model, document->nr_sections == nr_sections);
	summary_flags(document, report);
	add_next(document, report, has_waits);
	return 0;
}
