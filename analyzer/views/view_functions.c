/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each function: calls, times, allocations, over all threads and processes. */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/calls/function_resources.h"
#include "analyzer/cells/cells.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/read/fields.h"
#include "analyzer/read/samples_read.h"
#include "analyzer/views/heap_sites.h"

struct function_row {
	struct facts facts;
	const struct model *model;
};

static const struct function *function_of(const void *row)
{
	return ((const struct function_row *)row)->facts.function;
}

static struct value get_field(const struct column *column, const void *row)
{
	return value_text(function_of(row)->field);
}

static struct value get_percentile(const struct column *column, const void *row)
{
	const struct function *function = function_of(row);
	double least_ns, most_ns = function_percentile_ns(function, (double)column->index, &least_ns);

	return percentile_cell(&function->stats, most_ns, least_ns);
}

/* The other bound: the two are of one bucket of the histogram. */
static struct value get_percentile_least(const struct column *column, const void *row)
{
	const struct function *function = function_of(row);
	double least_ns;

	function_percentile_ns(function, (double)column->index, &least_ns);
	return call_cell(&function->stats, least_ns);
}

/* Calls that are not within another call of the function: python's profilers call these primitive. */
static struct value get_nested(const struct column *column, const void *row)
{
	const struct function *function = function_of(row);

	return nested_cell(&function->stats, function->primitive_calls, column->index);
}

static struct value get_part(const struct column *column, const void *row)
{
	const struct function *function = function_of(row);
	size_t nr_runs = ((const struct function_row *)row)->model->nr_parts;

	struct part_range range;

	if (nr_runs < 2)
		return value_empty();
	range = parts_range(function->parts, sizeof(*function->parts), column->index / PART_CELLS, nr_runs);
	return runs_cell(&function->stats, range, nr_runs, column->index);
}

enum {
	USE_ELAPSED = NR_USES,
	USE_CALLS,
	USE_IO, /* read() and write() */
	USE_PEAK,
	USE_NUMBER = 31,
	USE_SELF = 32,
	USE_MEAN = 64,
	USE_SHARE = 128,
};

static enum unit unit_of_use(size_t kind)
{
	switch (kind) {
	case USE_CPU_NS:
	case USE_WAIT_NS:
	case USE_BLOCKED_NS:
	case USE_GPU_NS:
	case USE_ELAPSED:
		return UNIT_NS;
	case USE_READ_BYTES:
	case USE_WRITE_BYTES:
	case USE_READ_CHARS:
	case USE_WRITE_CHARS:
	case USE_IO:
	case USE_RSS_BYTES:
	case USE_GPU_BYTES:
	case USE_PEAK + PEAK_RSS_BYTES:
	case USE_PEAK + PEAK_HEAP_BYTES:
		return UNIT_BYTES;
	default:
		return UNIT_COUNT;
	}
}

/*
 * All that hooks cost is CPU time. Where a function mostly waits, its CPU time is in doubt, though its
 * elapsed time is not.
 */
static bool hooks_hide_cpu(const struct call_stats *stats, double cpu_ns, bool is_self)
{
	return stats->known_calls && cpu_ns * HOOK_DOUBT_MARKED <
					     (is_self ? stats->self_doubt_ns : stats->total_doubt_ns);
}

/* A part of a time is marked as @value, that time, is; nothing of a known time is exact. */
static struct value part_of_time(struct value value, double ns)
{
	if (llround(ns) == 0 && value_number(value) > 0)
		return ns_cell(0);
	value.type = VALUE_INTEGER;
	value.unit = UNIT_NS;
	value.integer = llround(ns);
	return value;
}

/*
 * The use of a function: times of all calls, everything else of recorded calls. The mean is of one such
 * call. If the function's time is not known, its parts are not: those of its recorded calls contain hooks of
 * counted calls. CPU samples say nothing of the time that a counted function was ready or blocked: its
 * recorded caller has that.
 */
static struct value get_use(const struct column *column, const void *row)
{
	const struct function *function = function_of(row);
	const struct function_use *use = function->use;
	size_t kind = column->index & USE_NUMBER;
	const bool is_io = (kind >= USE_READ_BYTES && kind <= USE_WRITE_CHARS) || kind == USE_IO;
	uint64_t calls = use && kind > USE_BLOCKED_NS && !is_io ? use->calls : function->stats.calls;
	enum unit unit = unit_of_use(kind);
	struct value time =
		stats_cell(&function->stats, column->index & (USE_SELF | USE_SHARE) ? CELL_SELF : CELL_TOTAL);
	double number;

	if (!use || (kind <= USE_BLOCKED_NS && time.type == VALUE_EMPTY))
		return value_empty();
	if (column->index & USE_SHARE)
		return share_cell(use->self[kind], ((const struct function_row *)row)->model->used_ns[kind]);
	if (kind == USE_CALLS)
		return value_integer(unit, (int64_t)use->calls);
	number = kind >= USE_PEAK ? use->peak[kind - USE_PEAK] :
		 kind == USE_ELAPSED ? use->elapsed_ns :
		 kind == USE_IO ? use->total[USE_READ_CHARS] + use->total[USE_WRITE_CHARS] :
		 column->index & USE_SELF ? use->self[kind] : use->total[kind];
	if (kind != USE_RSS_BYTES && kind != USE_GPU_BYTES && number < 0)
		number = 0;		/* possible for differences */
	if (isnan(number) || !calls)
		return value_empty();
	if ((kind == USE_WAIT_NS || kind == USE_BLOCKED_NS) && time.is_sampled &&
	    (column->index & USE_SELF || llround(number) == 0))
		return value_empty();
	if (column->index & USE_MEAN)
		return value_real(unit, number / (double)calls);
	if (kind == USE_CPU_NS && !time.is_sampled && !time.is_bound)
		time.is_doubtful |= hooks_hide_cpu(&function->stats, number, column->index & USE_SELF);
	return kind <= USE_BLOCKED_NS ? part_of_time(time, number) : value_integer(unit, llround(number));
}

static const struct column columns[] = {
	{ "function", "Function", COLUMN_FUNCTION, facts_function, CELL_NAME },
	FACTS_SOURCE,
	{ "calls", "Calls", COLUMN_SUMS, get_nested, CELL_NESTED_CALLS },
	{ "self_ns", "Self", COLUMN_SUMS, facts_stats, CELL_SELF },
	{ "total_ns", "Total", 0, facts_stats, CELL_TOTAL },
	{ "mean_ns", "Mean", COLUMN_SPARE, facts_stats, CELL_MEAN },
	{ "min_ns", "Min", 0, facts_stats, CELL_MIN },
	{ "max_ns", "Max", COLUMN_SPARE, facts_stats, CELL_MAX },
	{ "p50_ns", "p50", 0, get_percentile, 50 },
	{ "p90_ns", "p90", 0, get_percentile, 90 },
	{ "p99_ns", "p99", 0, get_percentile, 99 },
	{ "stddev_ns", "Stddev", 0, facts_stats, CELL_STDDEV },
	FACTS_HEAP,
	{ "self_percent", "", COLUMN_SUMS, facts_share, CELL_SELF },
	{ "open_calls", "Open", COLUMN_SUMS, facts_stats, CELL_OPEN_CALLS },
	{ "timed_calls", "Timed", COLUMN_SUMS, facts_stats, CELL_TIMED_CALLS },
	{ "failed_alloc_calls", "Failed", COLUMN_SUMS, facts_heap, CELL_FAILED_CALLS },
	{ "largest_alloc_bytes", "Largest", 0, facts_heap, CELL_LARGEST_BYTES },
	{ "primitive_calls", "Primitive", COLUMN_SUMS, get_nested, CELL_PRIMITIVE_CALLS },
	FACTS_ERRORS,
	FACTS_LIVE_HEAP,
	FACTS_DOUBTS,
	{ "p50_least_ns", "p50 from", 0, get_percentile_least, 50 },
	{ "p90_least_ns", "p90 from", 0, get_percentile_least, 90 },
	{ "p99_least_ns", "p99 from", 0, get_percentile_least, 99 },
	{ "field", "Field", COLUMN_LEFT, get_field, 0 },
	{ "time_source", "By", COLUMN_LEFT, facts_time_source, 0 },
	RUNS_COLUMNS(get_part, COLUMN_SPARE),
	{ "samples", "Samples", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_NR },
	{ "hook_samples", "In hooks", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_IN_HOOKS },
	{ "missed_samples", "Missed", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_MISSED },
	{ "samples_percent", "Sampled", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_PERCENT },
	{ "samples_error_percent", "+-", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_ERROR },
	{ "sampled_self_ns", "Self CPU", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_SELF_NS },
	{ "sampled_total_ns", "CPU", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL_NS },
	{ "total_samples", "Samples", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL },
	{ "total_samples_percent", "", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL_PERCENT },
	{ "kernel_self_ns", "Self kernel", COLUMN_SUMS | COLUMN_SAMPLED, facts_samples,
	  CELL_SAMPLES_KERNEL_NS },
	{ "kernel_total_ns", "Kernel", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_TOTAL_KERNEL_NS },
	{ "kernel_percent", "In kernel", COLUMN_SAMPLED, facts_samples, CELL_SAMPLES_KERNEL_PERCENT },
	{ "self_per_call_ns", "Self/call", COLUMN_TEXT, get_nested, CELL_SELF_PER_CALL },
	{ "total_per_call_ns", "Total/call", COLUMN_TEXT, get_nested, CELL_TOTAL_PER_CALL },
	FACTS_WAITS,
	{ "source", "Source", COLUMN_LEFT | COLUMN_TEXT | COLUMN_SPARE, facts_function, CELL_SOURCE },
	{ "recorded_calls", "Recorded", COLUMN_SUMS | COLUMN_TEXT, get_use, USE_CALLS },
	{ "elapsed_ns", "Elapsed", COLUMN_TEXT, get_use, USE_ELAPSED },
	{ "self_cpu_ns", "Self CPU", COLUMN_SUMS | COLUMN_EXTRA, get_use, USE_CPU_NS | USE_SELF },
	{ "self_cpu_percent", "", COLUMN_SUMS | COLUMN_TEXT, get_use, USE_CPU_NS | USE_SHARE },
	{ "total_cpu_ns", "CPU", COLUMN_EXTRA, get_use, USE_CPU_NS },
	{ "mean_cpu_ns", "CPU/call", COLUMN_TEXT, get_use, USE_CPU_NS | USE_MEAN },
	{ "self_wait_ns", "Self ready", COLUMN_SUMS | COLUMN_EXTRA, get_use, USE_WAIT_NS | USE_SELF },
	{ "total_wait_ns", "Ready", COLUMN_EXTRA, get_use, USE_WAIT_NS },
	{ "self_blocked_ns", "Self blocked", COLUMN_SUMS | COLUMN_EXTRA, get_use, USE_BLOCKED_NS | USE_SELF },
	{ "total_blocked_ns", "Blocked", COLUMN_EXTRA, get_use, USE_BLOCKED_NS },
	{ "mean_blocked_ns", "Blocked/call", COLUMN_TEXT, get_use, USE_BLOCKED_NS | USE_MEAN },
	{ "minor_faults", "Faults", COLUMN_TEXT, get_use, USE_MINOR_FAULTS },
	{ "mean_minor_faults", "Faults/call", COLUMN_TEXT, get_use, USE_MINOR_FAULTS | USE_MEAN },
	{ "major_faults", "Major faults", COLUMN_TEXT, get_use, USE_MAJOR_FAULTS },
	{ "read_bytes", "Read", COLUMN_TEXT, get_use, USE_READ_BYTES },
	{ "mean_read_bytes", "Read/call", COLUMN_TEXT, get_use, USE_READ_BYTES | USE_MEAN },
	{ "write_bytes", "Written", COLUMN_TEXT, get_use, USE_WRITE_BYTES },
	{ "mean_write_bytes", "Written/call", COLUMN_TEXT, get_use, USE_WRITE_BYTES | USE_MEAN },
	{ "read_chars", "read()", COLUMN_TEXT, get_use, USE_READ_CHARS },
	{ "mean_read_chars", "read()/call", COLUMN_TEXT, get_use, USE_READ_CHARS | USE_MEAN },
	{ "write_chars", "write()", COLUMN_TEXT, get_use, USE_WRITE_CHARS },
	{ "mean_write_chars", "write()/call", COLUMN_TEXT, get_use, USE_WRITE_CHARS | USE_MEAN },
	{ "io_chars", "I/O", COLUMN_TEXT, get_use, USE_IO },
	{ "voluntary_switches", "Switches", COLUMN_TEXT, get_use, USE_SWITCHES },
	{ "involuntary_switches", "Preempted", COLUMN_TEXT, get_use, USE_PREEMPTIONS },
	{ "rss_growth_bytes", "RSS growth", COLUMN_TEXT, get_use, USE_RSS_BYTES },
	{ "mean_rss_growth_bytes", "RSS growth/call", COLUMN_TEXT, get_use, USE_RSS_BYTES | USE_MEAN },
	{ "gpu_ns", "GPU", COLUMN_TEXT, get_use, USE_GPU_NS },
	{ "mean_gpu_ns", "GPU/call", COLUMN_TEXT, get_use, USE_GPU_NS | USE_MEAN },
	{ "gpu_growth_bytes", "GPU memory", COLUMN_TEXT, get_use, USE_GPU_BYTES },
	{ "highest_rss_bytes", "Highest RSS", COLUMN_TEXT, get_use, USE_PEAK + PEAK_RSS_BYTES },
	{ "highest_heap_bytes", "Highest heap", COLUMN_TEXT, get_use, USE_PEAK + PEAK_HEAP_BYTES },
};

/* Whether @list, as given to --columns or --sort, names a column of use. */
static bool names_use(const struct table *table, const char *list)
{
	while (list && *list) {
		size_t length = strcspn(list, ",");
		char *name = xasprintf("%.*s", (int)length, list);
		const struct column *column = sort_column(table, name);

		free(name);
		if (column && column->get == get_use)
			return true;
		list += length + (list[length] == ',');
	}
	return false;
}

static bool has_heap(const struct function *function)
{
	return !function->process || function->process->header.heap_bytes != LOG_HEAP_OFF;
}

/* Threads' shares are known where rows cover most of the time. */
#define KNOWN_SHARE 0.9
#define MOSTLY_CPU  0.9		/* less of the time on processors: functions are shown by CPU time */
#define MOST_SLICES 4000000	/* more calls than that would take seconds to be read: */
#define MOST_WAITING_SLICES 20000000	/* that is worth it where threads mostly wait */

static bool is_waiting(const struct model *model)
{
	double cpu_ns = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		cpu_ns += fmax(usage_of_process(model->processes[i]).cpu_ns, 0);
	return cpu_ns < MOSTLY_CPU * model->functions_ns;
}

double functions_used_ns(struct report *report)
{
	struct model *model = report->model;

	if (report_has_times(report) && report->nr_runs == 1 &&
	    (model->nr_slices <= MOST_SLICES ||
	     (model->nr_slices <= MOST_WAITING_SLICES && is_waiting(model))))
		function_use_read(model);
	return model->use_is_read ? model->used_ns[USE_CPU_NS] + model->used_ns[USE_WAIT_NS] +
					    model->used_ns[USE_BLOCKED_NS]
				  : NAN;
}

bool functions_know_shares(struct report *report)
{
	return report_has_times(report) &&
	       functions_used_ns(report) >= KNOWN_SHARE * report->model->functions_ns;
}

bool functions_are_by_cpu(struct report *report)
{
	return functions_know_shares(report) &&
	       report->model->used_ns[USE_CPU_NS] < MOSTLY_CPU * functions_used_ns(report);
}

struct table functions_table(struct document *document, struct report *report, bool allocators)
{
	struct model *model = report->model;
	struct table_rows rows = ROWS_OF(struct function_row);
	const char *note = allocators ? heap_charge(document, model) : NULL;
	size_t nr_functions = allocators ? model->nr_known_functions : model->nr_functions;
	const char *sort = report_functions_sort(report);
	const bool is_by_cpu = !allocators && functions_are_by_cpu(report);

	fields_apply(model, report->options->fields);
	for (size_t i = 0; i < nr_functions; i++) {
		struct function *function = model->functions[i];
		const struct heap_stats *heap = allocators ? &function->charged_heap : &function->heap;

		if (function->kind == FUNCTION_PLAIN && (!allocators || heap->alloc_calls))
			document_add_row(document, &rows, &(struct function_row){ {
				.function = function,
				.stats = function->stats,
				.heap = has_heap(function) ? heap : NULL,
				.samples = &function->samples,
				.nr_samples = model->samples.nr,
				.samples_ns = model->samples.ns,
				.whole_ns = model->functions_ns,
			}, model });
	}
	return (struct table){
		.name = "functions",
		TABLE_COLUMNS(columns),
		.data_also = report_data_also(report) | (functions_know_shares(report) ? COLUMN_EXTRA : 0),
		.text_sort = is_by_cpu ? "self_cpu_ns" : sort,
		.data_sort = sort,
		.note = note,
		.rows = rows,
	};
}

static const char *text_columns(struct report *report)
{
	if (report->model->is_sampled && samples_know_waits(report->model))
		return "sampled_self_ns,samples_percent,samples_error_percent,sampled_total_ns,"
			"waiting_self_ns,waiting_total_ns,function,source";
	if (report->model->is_sampled)
		return "sampled_self_ns,samples_percent,samples_error_percent,sampled_total_ns,"
			"total_samples_percent,kernel_percent,function,source";
	if (report_has_times(report) && samples_exist(report->model) && !report_has_counted(report))
		return functions_are_by_cpu(report)
			       ? "self_cpu_ns,samples_percent,samples_error_percent,self_wait_ns,"
				 "self_blocked_ns,total_ns,calls,function"
			       : "self_ns,self_percent,samples_percent,samples_error_percent,total_ns,"
				 "calls,mean_ns,function";
	if (functions_are_by_cpu(report))
		return report_has_errors(report)
			       ? "self_cpu_ns,self_error_ns,self_cpu_percent,self_wait_ns,self_blocked_ns,"
				 "total_ns,calls,p99_ns,function"
			       : "self_cpu_ns,self_cpu_percent,self_wait_ns,self_blocked_ns,total_ns,calls,"
				 "p99_ns,function";
	if (report->model->nr_parts > 1)
		return report_has_times(report)
			       ? "self_ns,self_percent,self_run_mean_ns,self_run_min_ns,self_run_max_ns,"
				 "total_run_mean_ns,calls,calls_run_min,calls_run_max,function"
			       : "calls,calls_run_mean,calls_run_min,calls_run_max,function";
	if (!report_has_times(report))
		return report_has_heap(report) ? "calls,alloc_calls,alloc_bytes,freed_bytes,function,source" :
			"calls,function,source";
	if (report_has_errors(report))
		return report_has_heap(report)
			       ? "self_ns,self_error_ns,self_percent,total_ns,calls,mean_ns,p99_ns,"
					"alloc_bytes,function"
			       : "self_ns,self_error_ns,self_percent,total_ns,calls,mean_ns,p99_ns,max_ns,"
					"function";
	if (!report_has_heap(report))
		return "self_ns,self_percent,total_ns,calls,mean_ns,p99_ns,max_ns,function";
	return "self_ns,self_percent,total_ns,calls,mean_ns,p99_ns,max_ns,alloc_bytes,function";
}

/* Explain how it is known what functions used, with the distance of samples. */
static const char *tell_use(struct document *document, const struct model *model)
{
	bool has_switches = false, has_readings = false;
	double interval_ns = 0;
	char interval[UNIT_TEXT_MAX];

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct rowset *rows = process_rowset(model->processes[i], "process");

		if (rows)
			interval_ns = fmax(interval_ns, (double)rows->interval_ns * rows->step);
		has_switches = has_switches || process_rowset(model->processes[i], "thread_off");
		has_readings = has_readings || model->processes[i]->header.snapshot & LOG_SNAPSHOT_EVERY;
	}
	return document_text(
		document,
		"CPU, ready (waiting for a processor), blocked: parts of the time, without the hooks' cost; "
		"%sin recorded calls, shared with callees that were not recorded; faults, I/O, switches, "
		"%sGPU: in recorded calls, by overlap with samples at least %s apart%s; what is not covered "
		"counts for their callers",
		has_switches ? "CPU and blocked by context switches " : "by overlap with samples ",
		has_readings ? "" : "RSS, ", unit_format(interval, UNIT_NS, interval_ns),
		has_readings ? ", RSS of single threads as read at entry and exit" : "");
}

/* As pstats begins: "3442 calls (3265 primitive); ". Counters do not know which calls are primitive. */
static const char *tell_calls(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	uint64_t primitive = 0;

	for (size_t i = 0; i < model->nr_functions; i++)
		primitive += model->functions[i]->primitive_calls;
	return document_text(document, "%s%s%s%s; ", document_count(document, model->calls, "call"),
			     report_has_counted(report) ? "" : " (",
			     report_has_counted(report)
				     ? ""
				     : document_number(document, UNIT_COUNT, primitive),
			     report_has_counted(report) ? "" : " primitive)");
}

int view_functions(struct document *document, struct report *report)
{
	struct table table = functions_table(document, report, false);
	uint64_t nr_threads = report_threads_with_calls(report);

	table.title = report->title;
	table.text_columns = text_columns(report);
	table.text_top = 20;
	table.noted = "p99_ns";
	table.column_note = report_open_note(report);
	if (!report->model->nr_functions)
		table.note = "none were recorded; insideme-report -v summary says why";
	else if (report->model->is_sampled)
		table.note = document_text(document, "%s; +-: one standard error",
					   report_sampled_note(document, report));
	else if (report_has_times(report))
		table.note =
			report->model->nr_parts > 1 && !samples_exist(report->model)
				? document_text(
					  document,
					  "self and calls are sums of %zu runs; /run: their mean; least "
					  "and most: of one run, 0 if it has none%s",
					  report->model->nr_parts, report_doubt_note(report))
				: document_text(
					  document,
					  "%stotal = self + what it calls (recursion counts once); "
					  "both are sums over %" PRIu64
					  " thread%s; %% of self time in all functions%s%s%s",
					  tell_calls(document, report), nr_threads,
					  nr_threads == 1 ? "" : "s", report_nested_note(report),
					  report_error_note(report), report_doubt_note(report));
	if (names_use(&table, report->options->columns) || names_use(&table, report->options->sort) ||
	    (!report->options->columns && functions_are_by_cpu(report))) {
		function_use_read(report->model);
		table.note = document_text(document, "%s%s%s%s", tell_use(document, report->model),
					   report_nested_note(report), report_error_note(report),
					   report_doubt_note(report));
	}
	document_add_table(document, &table);
	return 0;
}
