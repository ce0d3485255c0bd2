/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heap by function: what each one allocated itself, and how much of that lived at the peak or was not
 * freed.
 */
#include "analyzer/views/views.h"

#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/read/heap_read.h"
#include "analyzer/resources/series.h"
#include "analyzer/tables/document.h"
#include "analyzer/views/heap_sites.h"

#define TEXT_FUNCTIONS 20

struct heap_row {
	struct facts facts;		/* function: NULL: outside of all functions */
	const struct heap_part *parts;	/* [nr_runs] */
	const struct model *model;
};

static struct value get_function(const struct column *column, const void *row)
{
	if (((const struct facts *)row)->function)
		return facts_function(column, row);
	return column->index == CELL_NAME ? value_text("(outside of functions)") : value_empty();
}

static struct value get_share(const struct column *column, const void *row)
{
	const struct heap_row *of = row;
	double part = value_number(heap_cell(of->facts.heap, column->index)),
	       all = value_number(heap_cell(&of->model->heap, column->index));

	return all > 0 ? value_real(UNIT_PERCENT, 100 * part / all) : value_empty();
}

static struct value get_mean(const struct column *column, const void *row)
{
	const struct heap_stats *heap = ((const struct facts *)row)->heap;

	return heap->alloc_calls
		       ? value_real(UNIT_BYTES, (double)heap->alloc_bytes / (double)heap->alloc_calls)
		       : value_empty();
}

/* With several runs: what each has. The places of numbers in struct heap_part, as in cells.h. */
enum { PART_ALLOC_CALLS = 0, PART_ALLOC_BYTES = PART_CELLS, PART_PEAK_BYTES = 2 * PART_CELLS,
       PART_NOT_FREED_BYTES = 3 * PART_CELLS };

/* Not known where allocations were suppressed: they belong to no single run. */
static struct value get_part(const struct column *column, const void *row)
{
	const struct heap_row *of = row;
	size_t index = column->index;
	struct part_range range;

	if (of->model->nr_parts < 2 || (index >= PART_PEAK_BYTES && !of->facts.heap->live_records) ||
	    (index >= PART_NOT_FREED_BYTES && of->model->suppressed.not_freed_calls))
		return value_empty();
	range = parts_range(of->parts, sizeof(*of->parts), index / PART_CELLS, of->model->nr_parts);
	return part_cell(&range, (enum part_cell)(index % PART_CELLS),
			 index < PART_ALLOC_BYTES ? UNIT_COUNT : UNIT_BYTES);
}

static const struct column columns[] = {
	{ "function", "Function", COLUMN_FUNCTION, get_function, CELL_NAME },
	{ "module", "Module", COLUMN_LEFT, get_function, CELL_MODULE },
	{ "file", "File", COLUMN_LEFT, get_function, CELL_FILE },
	{ "line", "Line", 0, get_function, CELL_LINE },
	{ "alloc_calls", "Allocs", COLUMN_SUMS, facts_heap, CELL_ALLOC_CALLS },
	{ "alloc_bytes", "Allocated", COLUMN_SUMS, facts_heap, CELL_ALLOC_BYTES },
	{ "alloc_percent", "", COLUMN_SUMS, get_share, CELL_ALLOC_BYTES },
	{ "mean_alloc_bytes", "Mean", 0, get_mean, 0 },
	{ "largest_alloc_bytes", "Largest", COLUMN_SPARE, facts_heap, CELL_LARGEST_BYTES },
	{ "free_calls", "Frees", COLUMN_SUMS, facts_heap, CELL_FREE_CALLS },
	{ "freed_bytes", "Freed", COLUMN_SUMS, facts_heap, CELL_FREED_BYTES },
	{ "failed_alloc_calls", "Failed", COLUMN_SUMS, facts_heap, CELL_FAILED_CALLS },
	{ "peak_heap_bytes", "At peak", COLUMN_SUMS, facts_heap, CELL_PEAK_BYTES },
	{ "peak_heap_percent", "", COLUMN_SUMS, get_share, CELL_PEAK_BYTES },
	{ "peak_heap_blocks", "Blocks", COLUMN_SUMS, facts_heap, CELL_PEAK_CALLS },
	{ "temporary_calls", "Temporary", COLUMN_SUMS, facts_heap, CELL_TEMPORARY_CALLS },
	{ "not_freed_bytes", "Not freed", COLUMN_SUMS, facts_heap, CELL_NOT_FREED_BYTES },
	{ "not_freed_blocks", "Not freed blocks", COLUMN_SUMS, facts_heap, CELL_NOT_FREED_CALLS },
	{ "alloc_error_bytes", COLUMN_ERROR, 0, facts_heap, CELL_ALLOC_ERROR },
	{ "peak_error_bytes", COLUMN_ERROR, 0, facts_heap, CELL_PEAK_ERROR },
	{ "not_freed_error_bytes", COLUMN_ERROR, 0, facts_heap, CELL_NOT_FREED_ERROR },
	{ "samples", "Samples", COLUMN_SUMS | COLUMN_SPARE, facts_heap, CELL_SAMPLES },
	{ "alloc_calls_run_min", "least", COLUMN_RUNS, get_part, PART_ALLOC_CALLS | CELL_PART_MIN },
	{ "alloc_calls_run_mean", "Allocs/run", COLUMN_RUNS, get_part, PART_ALLOC_CALLS | CELL_PART_MEAN },
	{ "alloc_calls_run_max", "most", COLUMN_RUNS, get_part, PART_ALLOC_CALLS | CELL_PART_MAX },
	{ "alloc_run_min_bytes", "least", COLUMN_RUNS, get_part, PART_ALLOC_BYTES | CELL_PART_MIN },
	{ "alloc_run_mean_bytes", "Alloc/run", COLUMN_RUNS, get_part, PART_ALLOC_BYTES | CELL_PART_MEAN },
	{ "alloc_run_max_bytes", "most", COLUMN_RUNS, get_part, PART_ALLOC_BYTES | CELL_PART_MAX },
	{ "peak_heap_run_min_bytes", "least", COLUMN_RUNS, get_part, PART_PEAK_BYTES | CELL_PART_MIN },
	{ "peak_heap_run_mean_bytes", "Peak/run", COLUMN_RUNS, get_part, PART_PEAK_BYTES | CELL_PART_MEAN },
	{ "peak_heap_run_max_bytes", "most", COLUMN_RUNS, get_part, PART_PEAK_BYTES | CELL_PART_MAX },
	{ "not_freed_run_min_bytes", "least", COLUMN_RUNS, get_part, PART_NOT_FREED_BYTES | CELL_PART_MIN },
	{ "not_freed_run_mean_bytes", "Not freed/run", COLUMN_RUNS, get_part,
	  PART_NOT_FREED_BYTES | CELL_PART_MEAN },
	{ "not_freed_run_max_bytes", "most", COLUMN_RUNS, get_part, PART_NOT_FREED_BYTES | CELL_PART_MAX },
	{ "temporary_percent", "Temporary", COLUMN_SPARE | COLUMN_TEXT, facts_heap, CELL_TEMPORARY_PERCENT },
	{ "source", "Source", COLUMN_LEFT | COLUMN_SPARE | COLUMN_TEXT, get_function, CELL_SOURCE },
};

static void add_row(struct document *document, struct table_rows *rows, const struct model *model,
		    struct function *function)
{
	const struct heap_stats *heap = function ? &function->heap : model->root->heap;

	if (heap->alloc_calls || heap->free_calls || heap->failed_calls)
		document_add_row(document, rows, &(struct heap_row){
			{ .function = function, .heap = heap },
			function ? function->heap_parts : model->outside_parts, model });
}

static struct table_rows list_rows(struct document *document, const struct model *model)
{
	struct table_rows rows = ROWS_OF(struct heap_row);

	for (size_t i = 0; i < model->nr_known_functions; i++)
		add_row(document, &rows, model, model->functions[i]);
	add_row(document, &rows, model, NULL);
	return rows;
}

/*
 * Whether stacks were asked for, but no allocation became a sample. Return: the distance of samples; 0
 * otherwise
 */
static uint64_t missed_distance(const struct model *model, struct heap_stats *sum)
{
	uint64_t bytes = 0;

	*sum = (struct heap_stats){ 0 };
	for (size_t i = 0; i < model->nr_processes && !model->heap.nr_samples; i++) {
		const struct process *process = model->processes[i];

		if (!heap_is_sampled(process) || process_fact(process, "heap_sample_off"))
			continue;
		sum->alloc_calls += process->heap.alloc_calls;
		sum->alloc_bytes += process->heap.alloc_bytes;
		if (bytes < process->header.heap_sample_bytes)
			bytes = process->header.heap_sample_bytes;
	}
	return model->heap.alloc_calls ? 0 : bytes;
}

/* Without live blocks: from counts and samples. */
static const char *counted_lead(struct document *document, const struct report *report)
{
	const struct heap_stats *heap = &report->model->heap;
	const char *text = document_text(document, "%s in %s, %s in %s",
		document_number(document, UNIT_BYTES, heap->alloc_bytes),
		document_count(document, heap->alloc_calls, "allocation"),
		document_number(document, UNIT_BYTES, heap->freed_bytes),
		document_count(document, heap->free_calls, "free"));
	struct heap_stats sum;
	struct series series;

	if (missed_distance(report->model, &sum))
		text = document_text(document, "%s in %s",
				     document_number(document, UNIT_BYTES, sum.alloc_bytes),
				     document_count(document, sum.alloc_calls, "allocation"));
	if (report_is_of_threads(report) || report->model->nr_runs > 1)
		return text;
	series_of_all(&series, report->model, "process", "heap_bytes", 64);
	if (series.known)
		text = document_text(document, "%s; largest sample %s, %s after the start", text,
				     document_number(document, UNIT_BYTES, series.peak),
				     document_number(document, UNIT_NS, series.peak_time));
	series_release(&series);
	return text;
}

static const char *live_lead(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	const char *text;

	if (model->heap.nr_samples)
		return heap_sampled_text(document, report);
	text = document_text(document, "%s; %s in %s, %s of them temporary; %s not freed in %s",
			     heap_peak_text(document, report),
			     document_number(document, UNIT_BYTES, model->heap.alloc_bytes),
			     document_count(document, model->heap.alloc_calls, "allocation"),
			     document_number(document, UNIT_PERCENT,
					     value_number(heap_cell(&model->heap, CELL_TEMPORARY_PERCENT))),
			     document_number(document, UNIT_BYTES, model->heap.not_freed_bytes),
			     document_count(document, model->heap.not_freed_calls, "block"));

	return model->heap.runtime_bytes ? document_text(document, "%s, and %s that runtimes keep", text,
		document_number(document, UNIT_BYTES, model->heap.runtime_bytes)) : text;
}

static uint64_t nr_lost(const struct model *model)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->header.losses[LOG_LOST_HEAP_CALLS];
	return nr;
}

static const char *lead_of(struct document *document, const struct report *report)
{
	const char *text =
		report_has_live_heap(report) ? live_lead(document, report) : counted_lead(document, report);
	uint64_t lost = nr_lost(report->model);

	return lost ? document_text(document,
				    "%s; %s more %s not counted, and missing in all figures (-v quality)",
				    text, document_number(document, UNIT_COUNT, lost),
				    lost == 1 ? "allocation or free was" : "allocations and frees were")
		    : text;
}

static bool has_hooks(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->header.has_hooks)
			return true;
	return false;
}

/* Without hooks: how to see more, or why there is no more. */
static const char *no_sites_note(struct document *document, const struct model *model)
{
	struct heap_stats sum;
	uint64_t distance = missed_distance(model, &sum);
	const char *off = NULL;

	if (distance)
		return document_text(document, "no allocation became a sample, one every %s on average: a "
			"smaller --heap-sample takes more",
				     document_number(document, UNIT_BYTES, distance));
	for (size_t i = 0; i < model->nr_processes && !off; i++)
		off = process_fact(model->processes[i], "heap_sample_off");
	if (off)
		return document_text(document, "stacks were not sampled: %s", off);
	return document_text(document,
			     "without hooks, the functions that allocate are not known; to see them, and "
			     "what lived at the peak and is never freed: insideme-run --heap-sample ./%s",
			     model->nr_processes ? model->processes[0]->header.program : "app");
}

static const char *text_columns(const struct report *report)
{
	bool several = report->model->nr_parts > 1;

	if (report->model->heap.nr_samples && !several)
		return "peak_heap_bytes,peak_error_bytes,peak_heap_percent,alloc_bytes,alloc_error_bytes,"
			"temporary_percent,not_freed_bytes,not_freed_error_bytes,function,source";
	if (report_has_live_heap(report))
		return several ? "peak_heap_bytes,peak_heap_percent,peak_heap_run_mean_bytes,"
			"peak_heap_run_min_bytes,peak_heap_run_max_bytes,not_freed_bytes,function,source"
			       : "peak_heap_bytes,peak_heap_percent,peak_heap_blocks,alloc_calls,alloc_bytes,"
				 "temporary_percent,largest_alloc_bytes,not_freed_bytes,function,source";
	if (several)
		return "alloc_bytes,alloc_percent,alloc_run_mean_bytes,alloc_run_min_bytes,"
			"alloc_run_max_bytes,freed_bytes,function,source";
	return report->model->heap.failed_calls
		       ? "alloc_bytes,alloc_percent,alloc_calls,largest_alloc_bytes,freed_bytes,"
				"free_calls,failed_alloc_calls,function,source"
		       : "alloc_bytes,alloc_percent,alloc_calls,largest_alloc_bytes,freed_bytes,"
				"free_calls,function,source";
}

static const char *note_of(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	const char *unseen = heap_unseen_text(document, model);

	if (!report_has_heap(report))
		return "the heap was not recorded (INSIDEME_HEAP=off)";
	if (model->nr_parts > 1)
		return document_text(document, "sums of %zu runs, by the function itself; /run: their "
			"mean; least and most: of one run, 0 if it has none", model->nr_parts);
	if (model->heap.nr_samples)
		return document_text(
			document,
			"estimates from the stacks of %s; +/-: one standard "
			"error%s%s; by the function that called the allocator, whichever function freed it",
			document_count(document, model->heap.nr_samples, "allocation"),
			unseen ? ", and 0 may be " : "", unseen ? unseen : "");
	if (report_has_live_heap(report))
		return document_text(
			document,
			"what the function itself allocated, whichever function freed it; temporary: freed "
			"before the thread's next allocation%s",
			report_has_counted(report)
				? "; paths may lack functions in between whose calls were only "
				  "counted; what these freed since counts for their callers"
				: "");
	return has_hooks(model) ? "by the function itself; a free counts where it happens; "
				  "INSIDEME_HEAP=live records what lived at the peak and what was never freed"
				: no_sites_note(document, model);
}

int view_heap(struct document *document, struct report *report)
{
	bool has_heap = report_has_heap(report), is_live = report_has_live_heap(report);

	if (has_heap)
		document_add(document, "Heap", lead_of(document, report))->wraps = true;
	if (is_live && strcmp(report->options->format, "text") == 0)
		heap_add_open(document, report);
	document_add_table(document, &(struct table){
		.name = "heap",
		.what = "functions",
		.title = report->title,
		.note = note_of(document, report),
		TABLE_COLUMNS(columns),
		.text_columns = text_columns(report),
		.data_also = report_data_also(report),
		.text_sort = is_live ? "peak_heap_bytes" : "alloc_bytes",
		.data_sort = is_live ? "peak_heap_bytes" : "alloc_bytes",
		.text_top = TEXT_FUNCTIONS,
		.rows = list_rows(document, report->model),
		.apart = has_heap,
	});
	if (is_live) {
		heap_add_peak(document, report);
		heap_add_not_freed(document, report);
		heap_add_sizes(document, report);
		heap_add_rest(document, report);
		heap_add_trend(document, report);
	}
	return 0;
}
