/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each function: calls, times, allocations, over all threads and processes. */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/calls/function_resources.h"
#include "analyzer/cells/cells.h"
#include "analyzer/read/fields.h"
#include "analyzer/read/samples_read.h"
#include "analyzer/views/heap_sites.h"

/* A function, and what its figures are compared with. */
struct function_row {
	struct function *function;
	const struct heap_stats *heap;
	double all_ns;
	double judged_ns;
	const struct sample_stats *samples;	/* of all functions */
	size_t nr_runs;
};

static struct value get_function(const struct column *column, const void *row)
{
	const struct function_row *of = row;

	return function_cell(of->function, column->index);
}

static struct value get_stats(const struct column *column, const void *row)
{
	const struct function_row *of = row;

	return stats_cell(&of->function->stats, column->index);
}

static struct value get_heap(const struct column *column, const void *row)
{
	const struct function_row *of = row;

	if (of->function->process && of->function->process->header.heap_bytes == LOG_HEAP_OFF)
		return value_empty();
	return heap_cell(of->heap, column->index);
}

static struct value get_field(const struct column *column, const void *row)
{
	(void)column;
	return value_text(((const struct function_row *)row)->function->field);
}

static struct value get_percentile(const struct column *column, const void *row)
{
	const struct function_row *of = row;

	return call_cell(&of->function->stats, function_percentile_ns(of->function, (double)column->index));
}

static struct value get_time_source(const struct column *column, const void *row)
{
	(void)column;
	return time_source_cell(&((const struct function_row *)row)->function->stats);
}

static struct value get_share(const struct column *column, const void *row)
{
	const struct function_row *of = row;
	struct value self = stats_cell(&of->function->stats, CELL_SELF);

	(void)column;
	return self.type == VALUE_EMPTY ? self : share_cell(value_number(self), of->all_ns);
}

static struct value get_samples(const struct column *column, const void *row)
{
	const struct function_row *of = row;

	return sample_cell(&of->function->samples, of->samples->nr, of->samples->ns, column->index);
}

enum { JUDGED_NS, JUDGED_PERCENT, JUDGED_ERROR };

static struct value get_judged(const struct column *column, const void *row)
{
	const struct function_row *of = row;

	if (column->index == JUDGED_NS)
		return ns_cell(of->function->judged_ns);
	return value_real(UNIT_PERCENT,
			  100 / of->judged_ns *
				  (column->index == JUDGED_PERCENT ? of->function->judged_ns
								   : of->function->judged_error_ns));
}

/* Calls that are not within another call of the function: python's profilers call these primitive. */
static struct value get_primitive_calls(const struct column *column, const void *row)
{
	const struct function_row *of = row;

	(void)column;
	return !of->function->stats.calls ? value_empty()
					  : value_integer(UNIT_COUNT, (int64_t)of->function->primitive_calls);
}

/* How a figure differs between the runs that were added up. */
static struct value range_cell(const struct function_row *of, enum part_cell cell,
			       double (*value)(const struct run_part *), enum unit unit)
{
	const struct call_stats *stats = &of->function->stats;
	struct part_range range;

	if (of->nr_runs < 2 || (unit == UNIT_NS && !call_stats_know_total(stats)))
		return value_empty();
	range = parts_range(of->function->parts, of->nr_runs, value);
	/* Samples tell the time of all runs together: of each it is not known. */
	if (unit == UNIT_NS && (stats->self_variance_ns2 > 0 || call_stats_are_counted(stats))) {
		const struct run_part sum = { stats->calls, stats->self_ns, stats->total_ns };

		range = (struct part_range){ NAN, value(&sum) / (double)of->nr_runs, NAN };
	}
	return part_cell(&range, cell, unit);
}

static struct value get_calls_part(const struct column *column, const void *row)
{
	return range_cell(row, (enum part_cell)column->index, part_calls, UNIT_COUNT);
}

static struct value get_self_part(const struct column *column, const void *row)
{
	return range_cell(row, (enum part_cell)column->index, part_self_ns, UNIT_NS);
}

static struct value get_total_part(const struct column *column, const void *row)
{
	return range_cell(row, (enum part_cell)column->index, part_total_ns, UNIT_NS);
}

enum { USE_ELAPSED = NR_USES, USE_CALLS, USE_PEAK, USE_NUMBER = 31, USE_SELF = 32, USE_MEAN = 64 };

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
 * What a function used: times in all calls, everything else in recorded calls. The mean is of one such
 * call.
 */
static struct value get_use(const struct column *column, const void *row)
{
	const struct function *function = ((const struct function_row *)row)->function;
	const struct function_use *use = function->use;
	size_t kind = column->index & USE_NUMBER;
	uint64_t calls = use && kind > USE_BLOCKED_NS ? use->calls : function->stats.calls;
	enum unit unit = unit_of_use(kind);
	double number;

	if (!use)
		return value_empty();
	if (kind == USE_CALLS)
		return value_integer(unit, (int64_t)use->calls);
	number = kind >= USE_PEAK ? use->peak[kind - USE_PEAK] : kind == USE_ELAPSED ? use->elapsed_ns :
		 column->index & USE_SELF ? use->self[kind] : use->total[kind];
	if (kind != USE_RSS_BYTES && kind != USE_GPU_BYTES && number < 0)
		number = 0;		/* possible for differences */
	if (isnan(number) || !calls)
		return value_empty();
	return column->index & USE_MEAN ? value_real(unit, number / (double)calls)
					: value_integer(unit, llround(number));
}

/* The order of the first 18 is an interface. Append new ones. */
static const struct column columns[] = {
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_function, CELL_NAME },
	{ "module", "Module", COLUMN_LEFT, get_function, CELL_MODULE },
	{ "file", "File", COLUMN_LEFT, get_function, CELL_FILE },
	{ "line", "Line", 0, get_function, CELL_LINE },
	{ "calls", "Calls", COLUMN_SUMS, get_stats, CELL_CALLS },
	{ "self_ns", "Self", COLUMN_SUMS, get_stats, CELL_SELF },
	{ "total_ns", "Total", 0, get_stats, CELL_TOTAL },
	{ "mean_ns", "Mean", COLUMN_SPARE, get_stats, CELL_MEAN },
	{ "min_ns", "Min", 0, get_stats, CELL_MIN },
	{ "max_ns", "Max", COLUMN_SPARE, get_stats, CELL_MAX },
	{ "p50_ns", "p50", 0, get_percentile, 50 },
	{ "p90_ns", "p90", 0, get_percentile, 90 },
	{ "p99_ns", "p99", COLUMN_SPARE, get_percentile, 99 },
	{ "stddev_ns", "Stddev", 0, get_stats, CELL_STDDEV },
	{ "alloc_calls", "Allocs", COLUMN_SUMS, get_heap, CELL_ALLOC_CALLS },
	{ "alloc_bytes", "Alloc", COLUMN_SUMS, get_heap, CELL_ALLOC_BYTES },
	{ "free_calls", "Frees", COLUMN_SUMS, get_heap, CELL_FREE_CALLS },
	{ "freed_bytes", "Freed", COLUMN_SUMS, get_heap, CELL_FREED_BYTES },
	{ "self_percent", "", COLUMN_SUMS, get_share, 0 },
	{ "open_calls", "Open", COLUMN_SUMS, get_stats, CELL_OPEN_CALLS },
	{ "timed_calls", "Timed", COLUMN_SUMS, get_stats, CELL_TIMED_CALLS },
	{ "failed_alloc_calls", "Failed", COLUMN_SUMS, get_heap, CELL_FAILED_CALLS },
	{ "largest_alloc_bytes", "Largest", 0, get_heap, CELL_LARGEST_BYTES },
	{ "primitive_calls", "Primitive", COLUMN_SUMS, get_primitive_calls, 0 },
	{ "temporary_calls", "Temporary", COLUMN_SUMS, get_heap, CELL_TEMPORARY_CALLS },
	{ "peak_heap_bytes", "At peak", COLUMN_SUMS, get_heap, CELL_PEAK_BYTES },
	{ "peak_heap_blocks", "Blocks", COLUMN_SUMS, get_heap, CELL_PEAK_CALLS },
	{ "not_freed_bytes", "Not freed", COLUMN_SUMS, get_heap, CELL_NOT_FREED_BYTES },
	{ "not_freed_blocks", "Blocks", COLUMN_SUMS, get_heap, CELL_NOT_FREED_CALLS },
	{ "source", "Source", COLUMN_LEFT, get_function, CELL_SOURCE },
	{ "self_error_ns", COLUMN_ERROR, 0, get_stats, CELL_SELF_ERROR },
	{ "total_error_ns", COLUMN_ERROR, 0, get_stats, CELL_TOTAL_ERROR },
	{ "self_is_doubtful", "", 0, get_stats, CELL_SELF_DOUBTFUL },
	{ "total_is_doubtful", "", 0, get_stats, CELL_TOTAL_DOUBTFUL },
	{ "self_doubt_ns", COLUMN_ERROR, 0, get_stats, CELL_SELF_DOUBT },
	{ "total_doubt_ns", COLUMN_ERROR, 0, get_stats, CELL_TOTAL_DOUBT },
	{ "calls_run_min", "least", COLUMN_SPARE, get_calls_part, CELL_PART_MIN },
	{ "calls_run_mean", "Calls/run", 0, get_calls_part, CELL_PART_MEAN },
	{ "calls_run_max", "most", COLUMN_SPARE, get_calls_part, CELL_PART_MAX },
	{ "self_run_min_ns", "least", 0, get_self_part, CELL_PART_MIN },
	{ "self_run_mean_ns", "Self/run", 0, get_self_part, CELL_PART_MEAN },
	{ "self_run_max_ns", "most", 0, get_self_part, CELL_PART_MAX },
	{ "total_run_min_ns", "least", 0, get_total_part, CELL_PART_MIN },
	{ "total_run_mean_ns", "Total/run", COLUMN_SPARE, get_total_part, CELL_PART_MEAN },
	{ "total_run_max_ns", "most", 0, get_total_part, CELL_PART_MAX },
	{ "samples", "Samples", COLUMN_SUMS, get_samples, CELL_SAMPLES_NR },
	{ "hook_samples", "In hooks", COLUMN_SUMS, get_samples, CELL_SAMPLES_IN_HOOKS },
	{ "missed_samples", "Missed", COLUMN_SUMS, get_samples, CELL_SAMPLES_MISSED },
	{ "samples_percent", "Sampled", COLUMN_SUMS, get_samples, CELL_SAMPLES_PERCENT },
	{ "samples_error_percent", "+-", 0, get_samples, CELL_SAMPLES_ERROR },
	{ "judged_self_ns", "Judged", COLUMN_SUMS, get_judged, JUDGED_NS },
	{ "judged_percent", "Judged", COLUMN_SUMS, get_judged, JUDGED_PERCENT },
	{ "judged_error_percent", "+-", 0, get_judged, JUDGED_ERROR },
	{ "recorded_calls", "Recorded", COLUMN_SUMS, get_use, USE_CALLS },
	{ "elapsed_ns", "Elapsed", 0, get_use, USE_ELAPSED },
	{ "self_cpu_ns", "Self CPU", COLUMN_SUMS, get_use, USE_CPU_NS | USE_SELF },
	{ "total_cpu_ns", "CPU", 0, get_use, USE_CPU_NS },
	{ "mean_cpu_ns", "CPU/call", 0, get_use, USE_CPU_NS | USE_MEAN },
	{ "self_wait_ns", "Self waiting", COLUMN_SUMS, get_use, USE_WAIT_NS | USE_SELF },
	{ "total_wait_ns", "Waiting", 0, get_use, USE_WAIT_NS },
	{ "self_blocked_ns", "Self blocked", COLUMN_SUMS, get_use, USE_BLOCKED_NS | USE_SELF },
	{ "total_blocked_ns", "Blocked", 0, get_use, USE_BLOCKED_NS },
	{ "mean_blocked_ns", "Blocked/call", 0, get_use, USE_BLOCKED_NS | USE_MEAN },
	{ "minor_faults", "Faults", 0, get_use, USE_MINOR_FAULTS },
	{ "mean_minor_faults", "Faults/call", 0, get_use, USE_MINOR_FAULTS | USE_MEAN },
	{ "major_faults", "Major faults", 0, get_use, USE_MAJOR_FAULTS },
	{ "read_bytes", "Read", 0, get_use, USE_READ_BYTES },
	{ "mean_read_bytes", "Read/call", 0, get_use, USE_READ_BYTES | USE_MEAN },
	{ "write_bytes", "Written", 0, get_use, USE_WRITE_BYTES },
	{ "mean_write_bytes", "Written/call", 0, get_use, USE_WRITE_BYTES | USE_MEAN },
	{ "read_chars", "read()", 0, get_use, USE_READ_CHARS },
	{ "mean_read_chars", "read()/call", 0, get_use, USE_READ_CHARS | USE_MEAN },
	{ "write_chars", "write()", 0, get_use, USE_WRITE_CHARS },
	{ "mean_write_chars", "write()/call", 0, get_use, USE_WRITE_CHARS | USE_MEAN },
	{ "voluntary_switches", "Switches", 0, get_use, USE_SWITCHES },
	{ "involuntary_switches", "Preempted", 0, get_use, USE_PREEMPTIONS },
	{ "rss_growth_bytes", "RSS growth", 0, get_use, USE_RSS_BYTES },
	{ "mean_rss_growth_bytes", "RSS growth/call", 0, get_use, USE_RSS_BYTES | USE_MEAN },
	{ "gpu_ns", "GPU", 0, get_use, USE_GPU_NS },
	{ "mean_gpu_ns", "GPU/call", 0, get_use, USE_GPU_NS | USE_MEAN },
	{ "gpu_growth_bytes", "GPU memory", 0, get_use, USE_GPU_BYTES },
	{ "highest_rss_bytes", "Highest RSS", 0, get_use, USE_PEAK + PEAK_RSS_BYTES },
	{ "highest_heap_bytes", "Highest heap", 0, get_use, USE_PEAK + PEAK_HEAP_BYTES },
	{ "field", "Field", COLUMN_LEFT, get_field, 0 },
	{ "sampled_self_ns", "Self CPU", COLUMN_SUMS, get_samples, CELL_SAMPLES_SELF_NS },
	{ "sampled_total_ns", "CPU", 0, get_samples, CELL_SAMPLES_TOTAL_NS },
	{ "total_samples", "Samples", 0, get_samples, CELL_SAMPLES_TOTAL },
	{ "total_samples_percent", "", 0, get_samples, CELL_SAMPLES_TOTAL_PERCENT },
	{ "time_source", "By", COLUMN_LEFT, get_time_source, 0 },
};

#define DATA_COLUMNS \
	"function,module,file,line,calls,self_ns,total_ns,mean_ns,min_ns,max_ns,p50_ns,p90_ns,p99_ns," \
	"stddev_ns,alloc_calls,alloc_bytes,free_calls,freed_bytes,self_percent,open_calls,timed_calls," \
	"failed_alloc_calls,largest_alloc_bytes,primitive_calls,self_error_ns,total_error_ns," \
	"temporary_calls,peak_heap_bytes,peak_heap_blocks,not_freed_bytes,not_freed_blocks," \
	"self_is_doubtful,field,total_is_doubtful,self_doubt_ns,total_doubt_ns,time_source"
#define RUN_COLUMNS \
	",calls_run_min,calls_run_mean,calls_run_max,self_run_min_ns,self_run_mean_ns,self_run_max_ns,"      \
	"total_run_min_ns,total_run_mean_ns,total_run_max_ns"
#define SAMPLE_COLUMNS \
	",samples,hook_samples,missed_samples,samples_percent,samples_error_percent,judged_self_ns," \
	"judged_percent,judged_error_percent,sampled_self_ns,sampled_total_ns,total_samples," \
	"total_samples_percent"

/* Whether @list, as given to --columns or --sort, names a column of use. */
static bool names_use(const char *list)
{
	while (list && *list) {
		size_t length = strcspn(list, ",");

		for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
			if (columns[i].get == get_use && strlen(columns[i].name) == length &&
			    memcmp(columns[i].name, list, length) == 0)
				return true;
		list += length + (list[length] == ',');
	}
	return false;
}

struct table *functions_table(struct document *document, struct report *report, bool allocators)
{
	struct model *model = report->model;
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	size_t nr_functions = allocators ? model->nr_known_functions : model->nr_functions;
	struct function_row *row = document_new(document, (nr_functions + 1) * sizeof(*row));

	rows->rows = row;
	fields_apply(model, report->options->fields);
	if (allocators)
		heap_charge(model);
	for (size_t i = 0; i < nr_functions; i++) {
		struct function *function = model->functions[i];
		const struct heap_stats *heap = allocators ? &function->charged_heap : &function->heap;

		if (function->kind == FUNCTION_PLAIN && (!allocators || heap->alloc_calls))
			row[rows->nr_rows++] = (struct function_row){
				function,	 heap,		 model->functions_ns, model->judged_ns,
				&model->samples, model->nr_parts
			};
	}
	*table = (struct table){
		.name = "functions",
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.data_columns = document_text(document, "%s%s%s", DATA_COLUMNS,
					      model->nr_parts > 1 ? RUN_COLUMNS : "",
					      samples_exist(model) ? SAMPLE_COLUMNS : ""),
		.text_sort = model->is_sampled		? "sampled_self_ns"
			     : report_has_times(report) ? "self_ns"
							: "calls",
		.row_bytes = sizeof(*row),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	table->data_sort = table->text_sort;
	return table;
}

static const char *text_columns(const struct report *report)
{
	if (report->model->is_sampled)
		return "sampled_self_ns,samples_percent,samples_error_percent,sampled_total_ns,"
			"total_samples_percent,function,source";
	if (report_has_times(report) && samples_exist(report->model) && !report_has_counted(report))
		return "self_ns,self_percent,samples_percent,samples_error_percent,judged_percent,"
			"judged_error_percent,total_ns,calls,mean_ns,function";
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
		"CPU, waiting, blocked: parts of the time, without the hooks' cost; "
		"%sin recorded calls, shared with callees that were not recorded; faults, I/O, switches, "
		"%sGPU: in recorded calls, by overlap with samples %s apart%s; what is not covered counts "
		"for their callers",
		has_switches ? "CPU and blocked by context switches " : "by overlap with samples ",
		has_readings ? "" : "RSS, ", unit_format(interval, UNIT_NS, interval_ns),
		has_readings ? ", RSS of single threads as read at entry and exit" : "");
}

int view_functions(struct document *document, struct report *report)
{
	struct table *table = functions_table(document, report, false);
	uint64_t nr_threads = report_threads_with_calls(report);

	table->title = report->title;
	table->text_columns = text_columns(report);
	table->text_top = 20;
	table->noted = "p99_ns";
	table->column_note = report_open_note(report);
	if (!report->model->nr_functions)
		table->note = "none were recorded; insideme-report -v summary says why";
	else if (report->model->is_sampled)
		table->note = document_text(document, SAMPLED_NOTE "; +-: one standard error",
					    report->model->samples.nr);
	else if (report_has_times(report))
		table->note =
			report->model->nr_parts > 1 && !samples_exist(report->model)
				? document_text(
					  document,
					  "self and calls are sums of %zu runs; /run: their mean; least "
					  "and most: of one run, 0 if it has none%s",
					  report->model->nr_parts, report_doubt_note(report))
				: document_text(
					  document,
					  "total = self + what it calls (recursion counts once); "
					  "both are sums over %" PRIu64
					  " thread%s; %% of self time in all functions%s%s",
					  nr_threads, nr_threads == 1 ? "" : "s",
					  report_error_note(report), report_doubt_note(report));
	if (names_use(report->options->columns) || names_use(report->options->sort)) {
		function_use_read(report->model);
		table->note = tell_use(document, report->model);
	}
	document_add_table(document, table);
	return 0;
}
