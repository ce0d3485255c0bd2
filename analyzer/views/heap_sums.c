/* SPDX-License-Identifier: GPL-3.0-or-later */
/* View heap: how large allocations were, and what in RSS is not heap. */
#include <string.h>

#include "analyzer/model/process_usage.h"
#include "analyzer/resources/series.h"
#include "analyzer/tables/document.h"
#include "analyzer/views/heap_sites.h"

struct size_row {
	uint64_t up_to_bytes;		/* 0: larger than all before */
	uint64_t alloc_calls;
};

static const struct column size_columns[] = {
	{ "up_to_bytes", "Up to", 0, MEMBER(struct size_row, up_to_bytes, UNIT_BYTES | NOT_0) },
	{ "alloc_calls", "Allocs", COLUMN_SUMS, MEMBER(struct size_row, alloc_calls, UNIT_COUNT) },
};

static uint64_t sum_sizes(const struct model *model, uint64_t sizes[LOG_HEAP_SIZES])
{
	uint64_t all = 0;

	for (int i = 0; i < LOG_HEAP_SIZES; i++) {
		sizes[i] = 0;
		for (size_t j = 0; j < model->nr_processes; j++)
			sizes[i] += model->processes[j]->heap_sizes[i];
		all += sizes[i];
	}
	return all;
}

void heap_add_sizes(struct document *document, const struct report *report)
{
	struct table_rows rows = ROWS_OF(struct size_row);
	struct section *section;
	uint64_t sizes[LOG_HEAP_SIZES], all = sum_sizes(report->model, sizes);
	const char *text = "";

	for (int i = 0; i < LOG_HEAP_SIZES; i++) {
		bool is_last = i == LOG_HEAP_SIZES - 1;

		if (!sizes[i])
			continue;
		document_add_row(document, &rows, &(struct size_row){ is_last ? 0 : 16ull << i, sizes[i] });
		if ((double)sizes[i] >= 0.01 * (double)all)
			text = document_text(
				document, "%s%s%s%s %.0f %%", text, *text ? ", " : "",
				is_last ? "above " : "",
				document_number(document, UNIT_BYTES, ldexp(16, is_last ? i - 1 : i)),
				100 * (double)sizes[i] / (double)all);
	}
	if (!all)
		return;
	section = document_add(document, "Sizes", document_text(document, "of allocations, up to: %s", text));
	section->wraps = section->apart = true;
	document_add_table(document, &(struct table){
		.name = "sizes",
		TABLE_COLUMNS(size_columns),
		.aside = true,
		.rows = rows,
		.formats = IN_JSON,
	});
}

/* Sums over the processes whose live blocks are known, each at its own peak. */
struct peaks {
	size_t nr;
	struct process *last;		/* of these processes */
	uint64_t bytes;			/* all */
	uint64_t older_bytes;		/* of these: inherited at a fork, or older than the map */
};

static struct peaks find_peaks(const struct model *model)
{
	struct peaks peaks = { .nr = 0 };

	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];

		if (!process->heap.live_records)
			continue;
		peaks.nr++;
		peaks.last = process;
		peaks.bytes += process->heap_peak_bytes;
		if (!process->is_saved && process->header.heap_before_bytes > 0)
			peaks.older_bytes += (uint64_t)process->header.heap_before_bytes;
	}
	return peaks;
}

struct process *heap_peak_process(const struct model *model)
{
	const struct peaks peaks = find_peaks(model);

	return peaks.nr == 1 ? peaks.last : NULL;
}

/* "1.92 GiB in 2.0 M blocks at the peak", or how much of the peak is known by path. */
static const char *peak_bytes_text(struct document *document, const struct report *report,
				   const struct peaks *peaks)
{
	const struct heap_stats *heap = &report->model->heap;
	const char *known = document_number(document, UNIT_BYTES, heap->peak_bytes);
	const char *all = document_number(document, UNIT_BYTES, peaks->bytes);
	const char *blocks = document_count(document, heap->peak_calls, "block"), *when = "the peak", *text;

	if (peaks->nr > 1)
		when = document_text(document, "the peaks of %zu processes, each at its own time", peaks->nr);
	else if (peaks->last && report->model->nr_processes > 1 && !process_next_image(peaks->last))
		when = document_text(document, "the peak of pid %" PRIu32, peaks->last->header.pid);
	/* blocks that came and went while the peak was noted are not worth words */
	if (peaks->bytes <= heap->peak_bytes || report_is_of_threads(report) || strcmp(all, known) == 0)
		return document_text(document, "%s in %s at %s", known, blocks, when);
	text = document_text(document, "%s at %s, of which %s in %s are known by path", all, when, known,
			     blocks);
	return peaks->older_bytes ? document_text(document, "%s, and %s are older than the record", text,
		document_number(document, UNIT_BYTES, peaks->older_bytes)) : text;
}

const char *heap_peak_text(struct document *document, const struct report *report)
{
	const struct peaks peaks = find_peaks(report->model);
	const struct process *process = peaks.last;
	const char *text = peak_bytes_text(document, report, &peaks);

	if (peaks.nr != 1 || process->heap_peak == NO_TIME)
		return text;
	return document_text(document, "%s, %s after the start%s%s", text,
			     document_number(document, UNIT_NS, process->heap_peak),
			     process->heap_peak_node ? ", in " : "",
			     process->heap_peak_node ? heap_path_text(document, process->heap_peak_node)
						     : "");
}

/* If no sample is among these blocks, an error of 0 would be wrong. */
static const char *not_freed_text(struct document *document, const struct model *model)
{
	const char *unseen = model->heap.not_freed_calls ? NULL : heap_unseen_text(document, model);

	return unseen ? unseen : document_text(document, "%s +/- %s",
		document_number(document, UNIT_BYTES, model->heap.not_freed_bytes),
		document_number(document, UNIT_BYTES, sqrt(model->heap.not_freed_variance_bytes2)));
}

/* In sampled processes, what allocators gave is counted. Blocks from before a log count in its peak. */
const char *heap_sampled_text(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	const struct peaks peaks = find_peaks(model);
	uint64_t calls = 0, bytes = 0;
	const char *when = "";

	for (size_t i = 0; i < model->nr_processes; i++) {
		if (!model->processes[i]->heap.live_records)
			continue;
		calls += model->processes[i]->heap.alloc_calls;
		bytes += model->processes[i]->heap.alloc_bytes;
	}
	if (peaks.nr > 1)
		when = document_text(document, "s of %zu processes, each at its own time", peaks.nr);
	else if (peaks.nr && peaks.last->heap_peak != NO_TIME)
		when = document_text(document, ", %s after the start",
				     document_number(document, UNIT_NS, peaks.last->heap_peak));
	return document_text(document,
			     "%s at the peak%s; %s in %s. These are counted. Their functions are "
			     "estimated from %s, one every %s on average; %s not freed",
			     document_number(document, UNIT_BYTES, peaks.bytes), when,
			     document_number(document, UNIT_BYTES, bytes),
			     document_count(document, calls, "allocation"),
			     document_count(document, model->heap.nr_samples, "stack"),
			     document_number(document, UNIT_BYTES, heap_sample_distance(model)),
			     not_freed_text(document, model));
}

/* A column as last sampled before the peak, or first after it; LOG_NONE: not known. */
static uint64_t at_peak(struct process *process, const char *set, const char *name)
{
	struct rowset *rows = process_rowset(process, set);
	int column = rows ? rowset_column(rows, name) : -1;
	int64_t row = column >= 0 ? rowset_at(rows, process_ticks(process, process->heap_peak)) : -1;

	if (column < 0 || !rows->nr_rows)
		return LOG_NONE;
	return rowset_value(rows, row >= 0 ? (size_t)row : 0, (uint32_t)column);
}

/* "8 MiB of files and shared memory, 136 KiB of stacks", as far as known. Adds them up in @bytes. */
static const char *parts_text(struct document *document, struct process *process, double *bytes)
{
	uint64_t mapped = at_peak(process, "process", "mapped_bytes"),
		 stacks = at_peak(process, "process_maps", "stack_bytes");
	const char *text = "code and data of files";

	*bytes = 0;
	if (mapped != LOG_NONE) {
		*bytes += (double)mapped;
		text = document_text(document, "%s of files and shared memory",
				     document_number(document, UNIT_BYTES, mapped));
	}
	if (stacks == LOG_NONE)
		return document_text(document, "%s, stacks", text);
	*bytes += (double)stacks;
	return document_text(document, "%s, %s of stacks", text,
			     document_number(document, UNIT_BYTES, stacks));
}

void heap_add_rest(struct document *document, const struct report *report)
{
	struct process *process = report->model->processes[0];
	struct memory_reading reading;
	const char *parts, *rss, *text;
	double rest, known;

	if (report->model->nr_processes != 1 || report_is_of_threads(report) || process->is_saved ||
	    process->heap_peak == NO_TIME ||
	    !process_memory_at(process, process_ticks(process, process->heap_peak), &reading) ||
	    reading.rss_bytes == LOG_NONE)
		return;
	parts = parts_text(document, process, &known);
	rss = document_number(document, UNIT_BYTES, reading.rss_bytes);
	rest = (double)reading.rss_bytes - (double)process->heap_peak_bytes;
	if (rest >= known)
		text = document_text(document,
				     "%s of RSS, which was last sampled at %s: %s; the rest is "
				     "anonymous mappings and what the allocator keeps",
				     document_number(document, UNIT_BYTES, rest), rss, parts);
	else
		text = document_text(document,
				     "RSS was last sampled at %s, of it: %s; at least %s of the "
				     "heap had not been touched yet, or was swapped out",
				     rss, parts, document_number(document, UNIT_BYTES, known - rest));
	document_add(document, "Not heap", text)->wraps = true;
}

/* "heap +9.8 KiB/s (error 1.2 KiB/s)"; "" if there are too few samples. */
static const char *trend_of(struct document *document, const struct report *report, const char *name,
			    const char *column)
{
	struct series series;
	const char *text = "";

	series_of_all(&series, report->model, "process", column, 64);
	if (series.known && isfinite(series.slope) && isfinite(series.slope_error))
		text = document_text(document, "%s %s%s (standard error %s)", name,
				     series.slope > 0 ? "+" : "",
				     document_number(document, UNIT_BYTES_RATE, series.slope),
				     document_number(document, UNIT_BYTES_RATE, series.slope_error));
	series_release(&series);
	return text;
}

void heap_add_trend(struct document *document, const struct report *report)
{
	const char *heap, *rss, *mapped;

	if (report->model->nr_processes != 1 || report_is_of_threads(report) ||
	    report->model->processes[0]->is_saved)
		return;
	heap = trend_of(document, report, "heap", "heap_bytes");
	rss = trend_of(document, report, "RSS", "rss_bytes");
	mapped = trend_of(document, report, "files and shared memory", "mapped_bytes");
	if (*heap && *rss)
		document_add(document, "Trend", document_text(document,
			"%s: above three times its error it may be a leak; %s%s%s", heap, rss,
			*mapped ? ", of it " : "", mapped))->wraps = true;
}
