/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each source line: time of samples in it and in what it calls, and blocks allocated there, beside its text.
 */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/names.h"
#include "analyzer/calls/line_steps.h"
#include "analyzer/cells/cells.h"
#include "analyzer/lines/counted_units.h"
#include "analyzer/lines/line_counts.h"
#include "analyzer/lines/lines.h"
#include "analyzer/lines/source_text.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/resolve.h"
#include "analyzer/read/calling_lines.h"
#include "analyzer/read/sampled_lines.h"
#include "analyzer/read/samples_read.h"

#define TEXT_FUNCTIONS 10 /* as the note says */
#define BODY_MOST 1000 /* lines of a function's text */

/*
 * A line of a function; or the heading of a function, or of a file in it; or text without figures.
 */
struct line_row {
	const struct line_function *of;
	const struct line_samples *samples;	/* NULL: none are known */
	const struct heap_stats *heap;		/* likewise */
	const struct line *line;		/* likewise: how often it ran */
	const char *file;			/* NULL: not known */
	uint32_t number;
	const char *text;
};

/* The parts that rows are made of. */
struct maker {
	struct document *document;
	const struct report *report;
	struct source_files files;
	struct table_rows rows;
};

static struct value get_function(const struct column *column, const void *row)
{
	return function_cell(((const struct line_row *)row)->of->function, column->index);
}

static struct value get_file(const struct column *column, const void *row)
{
	return value_text(path_in_data(((const struct line_row *)row)->file));
}

/* Time by hooks: of a line's calls, of a whole function, or of its rest. */
static struct value called_time(const struct line_row *of)
{
	const struct line_calls *calls = of->line ? &of->line->calls : NULL;
	struct value value;

	if (!of->samples)
		return value_empty();
	if (!calls)
		return stats_cell(&of->of->function->stats, CELL_TOTAL);
	if (!of->number)
		return ns_cell(of->of->rest_ns);
	value = calls->ns > 0 ? ns_cell(calls->ns) : value_empty();
	value.is_doubtful = calls->ns * HOOK_DOUBT_MARKED < calls->doubt_ns;
	return value;
}

/* The time of the line and of the calls that it made: by hooks if the function has these, else by samples. */
static struct value get_time(const struct column *column, const void *row)
{
	const struct line_row *of = row;

	if (of->of->has_calls)
		return called_time(of);
	return of->samples && of->samples->nr ? ns_cell(of->samples->ns) : value_empty();
}

static struct value get_time_percent(const struct column *column, const void *row)
{
	const struct line_row *of = row;
	const struct value part = get_time(column, row),
			   all = stats_cell(&of->of->function->stats, CELL_TOTAL);

	if (part.type == VALUE_EMPTY || (of->of->has_calls && all.type == VALUE_EMPTY))
		return value_empty();
	return share_cell(value_number(part), of->of->has_calls ? value_number(all) : of->of->samples.ns);
}

static struct value get_time_source(const struct column *column, const void *row)
{
	if (get_time(column, row).type == VALUE_EMPTY)
		return value_empty();
	return value_text(((const struct line_row *)row)->of->has_calls ? "hooks" : "samples");
}

enum { SELF_NS, SAMPLES };

static struct value get_samples(const struct column *column, const void *row)
{
	const struct line_row *of = row;

	if (!of->samples || !of->samples->nr)
		return value_empty();
	return column->index == SELF_NS ? ns_cell(of->samples->self_ns)
					: value_integer(UNIT_COUNT, (int64_t)of->samples->nr);
}

static struct value get_waiting(const struct column *column, const void *row)
{
	const struct line_samples *samples = ((const struct line_row *)row)->samples;

	(void)column;
	return samples && samples->waiting_ns > 0 ? ns_cell(samples->waiting_ns) : value_empty();
}

static struct value get_heap(const struct column *column, const void *row)
{
	const struct line_row *of = row;

	return of->heap && of->heap->alloc_calls ? heap_cell(of->heap, column->index) : value_empty();
}

/* How often a line ran, by counters; otherwise the calls that it made, by hooks. */
static struct value get_hits(const struct column *column, const void *row)
{
	const struct line *line = ((const struct line_row *)row)->line;

	if (line && line->has_hits)
		return value_integer(UNIT_COUNT, (int64_t)line->hits);
	return line && line->calls.nr ? value_integer(UNIT_COUNT, (int64_t)line->calls.nr) : value_empty();
}

static struct value get_hits_source(const struct column *column, const void *row)
{
	const struct line *line = ((const struct line_row *)row)->line;

	if (get_hits(column, row).type == VALUE_EMPTY)
		return value_empty();
	return value_text(line->has_hits ? "counters" : "calls");
}

static struct value get_per_hit(const struct column *column, const void *row)
{
	const struct value hits = get_hits(column, row), time = get_time(column, row);
	struct value each;

	if (hits.type == VALUE_EMPTY || time.type == VALUE_EMPTY || !hits.integer)
		return value_empty();
	each = value_real(UNIT_NS, value_number(time) / (double)hits.integer);
	each.is_doubtful = time.is_doubtful;
	return each;
}

enum { CALLS, MIN_NS, MAX_NS };

static struct value get_calls(const struct column *column, const void *row)
{
	const struct line *line = ((const struct line_row *)row)->line;

	if (!line || !line->calls.nr)
		return value_empty();
	if (column->index == CALLS)
		return value_integer(UNIT_COUNT, (int64_t)line->calls.nr);
	return ns_cell(column->index == MIN_NS ? line->calls.min_ns : line->calls.max_ns);
}

/* Of all of its calls; NULL: not known. */
static const struct line_times *times_of(const void *row)
{
	const struct line *line = ((const struct line_row *)row)->line;

	return line && !line->calls.lacks_times ? line->calls.times : NULL;
}

static struct value get_percentile(const struct column *column, const void *row)
{
	const struct line_times *times = times_of(row);
	double least_ns, most_ns;

	if (!times)
		return value_empty();
	most_ns = call_stats_percentile_ns(&times->stats, &times->histogram, (double)column->index,
					   &least_ns);
	return percentile_cell(&times->stats, most_ns, least_ns);
}

static struct value get_percentile_least(const struct column *column, const void *row)
{
	const struct line_times *times = times_of(row);
	double least_ns;

	if (!times)
		return value_empty();
	call_stats_percentile_ns(&times->stats, &times->histogram, (double)column->index, &least_ns);
	return call_cell(&times->stats, least_ns);
}

/* The cells of a line, or of all lines of a function. */
static struct value get_new(const struct column *column, const void *row)
{
	const struct line_row *of = row;
	uint64_t bytes = of->line ? of->line->new_bytes : of->samples ? of->of->new_bytes : 0;

	return bytes ? value_integer(UNIT_BYTES, (int64_t)bytes) : value_empty();
}

enum { OCCURRENCES, MEM_USAGE, INCREMENT };

/* By line events, as memory_profiler has them. */
static struct value get_visits(const struct column *column, const void *row)
{
	const struct line *line = ((const struct line_row *)row)->line;
	const struct line_visits *visits = line ? &line->visits : NULL;

	if (!visits || !visits->nr || (column->index == MEM_USAGE && !visits->most_rss_bytes) ||
	    (column->index == INCREMENT && !visits->nr_changes))
		return value_empty();
	if (column->index == OCCURRENCES)
		return value_integer(UNIT_COUNT, (int64_t)visits->nr);
	return value_integer(UNIT_BYTES, column->index == MEM_USAGE ? (int64_t)visits->most_rss_bytes
								     : visits->grown_bytes);
}

/* The order of the first twelve is an interface. */
static const struct column columns[] = {
	{ "file", "File", COLUMN_LEFT, get_file, 0 },
	{ "line", "Line", 0, MEMBER(struct line_row, number, UNIT_NONE | NOT_0) },
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT, get_function, CELL_NAME },
	{ "hits", "Hits", 0, get_hits, 0 },
	{ "time_ns", "Time", 0, get_time, 0 },
	{ "self_ns", "Self", COLUMN_SUMS, get_samples, SELF_NS },
	{ "samples", "Samples", 0, get_samples, SAMPLES },
	{ "alloc_calls", "Allocs", 0, get_heap, CELL_ALLOC_CALLS },
	{ "alloc_bytes", "Allocated", 0, get_heap, CELL_ALLOC_BYTES },
	{ "peak_bytes", "At peak", 0, get_heap, CELL_PEAK_BYTES },
	{ "new_bytes", "New memory", COLUMN_SUMS, get_new, 0 },
	{ "text", "Line Contents", COLUMN_LEFT | COLUMN_ROOM, MEMBER(struct line_row, text, 0) },
	{ "hits_source", "Hits by", COLUMN_LEFT, get_hits_source, 0 },
	{ "time_source", "Time by", COLUMN_LEFT, get_time_source, 0 },
	{ "calls", "Calls", 0, get_calls, CALLS },
	{ "min_ns", "Least", 0, get_calls, MIN_NS },
	{ "max_ns", "Most", 0, get_calls, MAX_NS },
	{ "p50_ns", "p50", 0, get_percentile, 50 },
	{ "p90_ns", "p90", 0, get_percentile, 90 },
	{ "p99_ns", "p99", COLUMN_SPARE, get_percentile, 99 },
	{ "p50_least_ns", "p50 from", 0, get_percentile_least, 50 },
	{ "p90_least_ns", "p90 from", 0, get_percentile_least, 90 },
	{ "p99_least_ns", "p99 from", 0, get_percentile_least, 99 },
	{ "time_percent", "", 0, get_time_percent, 0 },
	{ "per_hit_ns", "Per Hit", 0, get_per_hit, 0 },
	{ "rss_bytes", "Mem usage", COLUMN_EXTRA, get_visits, MEM_USAGE },
	{ "rss_growth_bytes", "Increment", COLUMN_EXTRA, get_visits, INCREMENT },
	{ "occurrences", "Occurrences", COLUMN_EXTRA, get_visits, OCCURRENCES },
	{ "waiting_ns", "Waiting", COLUMN_WAITS, get_waiting, 0 },
};

#define DATA_COLUMNS \
	"file,line,function,hits,time_ns,self_ns,samples,alloc_calls,alloc_bytes,peak_bytes,new_bytes,text," \
	"hits_source,time_source,calls,min_ns,max_ns,p50_ns,p90_ns,p99_ns,p50_least_ns,p90_least_ns," \
	"p99_least_ns"

static uint64_t mtime_of(const struct line_function *of)
{
	return of->function->object ? of->function->object->file_mtime_ns : 0;
}

static void add_row(struct maker *maker, const struct line_row *row)
{
	document_add_row(maker->document, &maker->rows, row);
}

static const char *text_of(struct maker *maker, const struct line_function *of, const char *file,
			   uint32_t number)
{
	if (maker->report->options->no_source)
		return NULL;
	return document_text(maker->document, "%s", source_line(&maker->files, file, mtime_of(of), number));
}

static void add_line(struct maker *maker, const struct line *line)
{
	struct line_row row = { line->of, &line->samples, &line->heap, line, line->file, line->number, NULL };

	if (line->number)
		row.text = text_of(maker, line->of, line->file, line->number);
	else
		row.text = document_text(maker->document, "(rest of %s)", line->of->function->short_name);
	add_row(maker, &row);
}

/* "work pool.c:12", or "in pool.h" for lines of another file that are in it. */
static const char *heading_of(struct maker *maker, const struct line *line, bool is_first)
{
	const struct function *function = line->of->function;
	const char *mark = function_is_inlined(function) ? " (inlined)" : "",
		   *file = line->file ? line->file : "";

	if (!is_first)
		return document_text(maker->document, "in %s", file);
	if (function->file && line->file && strcmp(function->file, line->file) == 0)
		return document_text(maker->document, "%s%s %s:%u", function->short_name, mark, file,
				     function->line);
	return document_text(maker->document, "%s%s %s", function->short_name, mark, file);
}

static void add_heading(struct maker *maker, const struct line *line, bool is_first)
{
	const char *trouble = line->file ? source_trouble(&maker->files, line->file, mtime_of(line->of))
					 : "no source is known";
	struct line_row row = { .of = line->of, .file = line->file };

	if (is_first) {
		row.samples = &line->of->samples;
		row.heap = &line->of->heap;
	}
	row.text = heading_of(maker, line, is_first);
	add_row(maker, &row);
	row.samples = NULL;
	row.heap = NULL;
	row.text = document_text(maker->document, "(%s)", trouble ? trouble : "");
	if (trouble && !maker->report->options->summarize)
		add_row(maker, &row);
}

/* The text between lines that have figures. */
static void add_gap(struct maker *maker, const struct line *line, uint32_t from)
{
	if (!line->number || !from || line->number - from > BODY_MOST ||
	    !source_line(&maker->files, line->file, mtime_of(line->of), line->number)[0])
		return;
	for (; from < line->number; from++)
		add_row(maker, &(struct line_row){ .of = line->of, .file = line->file, .number = from,
						   .text = text_of(maker, line->of, line->file, from) });
}

static bool same_file(const struct line *a, const struct line *b)
{
	return a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0);
}

/* The first line of a function's text that is shown. */
static uint32_t first_number(const struct line *line)
{
	const struct function *function = line->of->function;

	return function->file && line->file && strcmp(function->file, line->file) == 0 &&
			       function->line <= line->number
		       ? function->line
		       : line->number;
}

/* @before: the line before it in the list; NULL: none, or another function's. */
static void add_text_rows(struct maker *maker, const struct line *line, const struct line *before)
{
	const struct options *options = maker->report->options;
	bool is_new = !before || !same_file(before, line);

	if (is_new && !(before && (options->summarize || !line->number)))
		add_heading(maker, line, !before);
	if (options->summarize)
		return;
	if (!options->skip_zero && !options->no_source)
		add_gap(maker, line, is_new || !before->number ? first_number(line) : before->number + 1);
	add_line(maker, line);
}

/* NULL: none is known. */
static const struct lines *read_lines(struct model *model)
{
	const struct lines *lines = sampled_lines_read(model);

	return line_visits_read(model) ? model->lines : lines;
}

static bool has_memory(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->header.snapshot & LOG_SNAPSHOT_EVERY)
			return true;
	return false;
}

static void make_rows(struct maker *maker, bool is_text)
{
	size_t nr, nr_functions = 0;
	const struct line **list = lines_list(read_lines(maker->report->model), &nr);
	const struct options *options = maker->report->options;
	const bool is_list = !is_text || options->sort; /* in another order there are no functions to head */
	const bool is_whole = is_list || options->top_given || options->match || options->row_filter;

	for (size_t i = 0; i < nr; i++) {
		const struct line *before = i && list[i - 1]->of == list[i]->of ? list[i - 1] : NULL;

		if (!list[i]->of->function->name)
			continue;
		resolve_source(list[i]->of->function);
		nr_functions += !before;
		if (!is_whole && nr_functions > TEXT_FUNCTIONS)
			break;
		if (is_list)
			add_line(maker, list[i]);
		else
			add_text_rows(maker, list[i], before);
	}
	free(list);
}

/* Why there is no new memory although it was asked for; NULL: it was not. */
static const char *why_no_faults(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		const char *why = process_fact(model->processes[i], "page_faults_off");

		if (why)
			return why;
	}
	return NULL;
}

static const char *hits_note(struct document *document, struct model *model)
{
	if (!line_counts_are_in(model, NO_RUN))
		return "";
	return document_text(document, "hits: as gcov counts them%s%s; ",
			     counted_units_may_be_old(model) ?
				     ", those of a process that runs or was killed up to a second old" : "",
			     counted_units_lost_some(model)
				     ? ", and too few where several threads ran the line, because its "
				       "counters have no locks (build with -pthread)"
				     : "");
}

static const char *new_note(struct document *document, const struct model *model, const struct lines *lines)
{
	const char *why = why_no_faults(model);

	if (lines->nr_faults)
		return document_text(document,
				     "new memory: pages that the line touched first, by %" PRIu64
				     " page faults, %" PRIu64 " KiB of them by code without a line; ",
				     lines->nr_faults, lines->new_elsewhere_bytes >> 10);
	return why ? document_text(document, "new memory is not known: %s; ", why) : "";
}

static const char *calls_note(struct document *document, const struct model *model,
			      const struct lines *lines)
{
	const char *lineless = "";

	if (!calling_lines_are_in(model, NO_RUN))
		return "";
	if (lines->nr_lineless)
		lineless = document_text(document,
					 "%" PRIu64 " calls have no line, because they were only counted "
					 "(--timing=exact: they have one); ", lines->nr_lineless);
	return document_text(document,
			     "hits%s and time of functions with hooks: calls that came from the line "
			     "(recursion: the time of the outermost call's), rest: the function's own code, "
			     "and calls that were only counted or have no hooks; p99: of calls that "
			     "ended, at most; %s",
			     line_counts_are_in(model, NO_RUN) ? " without a counter" : "", lineless);
}

static const char *visits_note(const struct model *model, const struct lines *lines)
{
	if (!lines->nr_visits)
		return "";
	return has_memory(model) ? "occurrences: how often the line began; mem usage: the largest RSS before "
				   "or after it; increment: of RSS while it ran, with what it called; "
				 : "occurrences: how often the line began; ";
}

static bool knows_more(const struct model *model)
{
	return model->samples.nr || line_counts_are_in(model, NO_RUN) || calling_lines_are_in(model, NO_RUN);
}

static const char *note_of(struct document *document, struct report *report)
{
	struct model *model = report->model;
	const struct lines *lines = read_lines(model);
	const char *time = "", *heap = "", *beside = "";

	if (!lines && why_no_faults(model))
		return document_text(document, "new memory is not known: %s", why_no_faults(model));
	if (!lines)
		return "no line is known: it takes samples (--sample, --heap-sample), --call-lines or "
		       "insideme-cc --lines or --line-events, and debug information";
	if (line_counts_are_beside(model))
		beside = "of the runs without counters: ";
	if (lines->nr_samples)
		time = document_text(document,
				     "%sCPU time by %" PRIu64
				     " samples; time = self + what the line calls (recursion "
				     "once), %% of the function's; ",
				     beside, lines->nr_samples);
	if (model->heap.nr_samples)
		heap = document_text(document,
				     "%sallocated and at peak: by the line itself, estimates from %s%" PRIu64
				     " stacks; ",
				     beside, beside[0] ? "at most " : "", model->heap.nr_samples);
	else if (lines->nr_blocks)
		heap = document_text(document,
				     "%sallocated and at peak: by the line itself, rest: by code without "
				     "hooks that the function calls; %s", beside,
				     knows_more(model) ? "" : "hits and time: --call-lines, "
				     "insideme-cc --lines, --sample; ");
	return document_text(document, "%s%s%s%s%s%s%s", hits_note(document, model),
			     calls_note(document, model, lines), time, heap, new_note(document, model, lines),
			     visits_note(model, lines),
			     report->options->sort ? "lines of all functions"
						   : "first 10 functions: --match or --top 0 shows others");
}

static void add_table(struct maker *maker, unsigned int formats, const char *note)
{
	const struct model *model = maker->report->model;
	const struct lines *lines = read_lines(maker->report->model);
	const bool has_visits = lines && lines->nr_visits;
	const bool has_calls = calling_lines_are_in(model, NO_RUN);
	const bool has_hits = line_counts_are_in(model, NO_RUN) || has_calls;
	const bool has_time = model->samples.nr || has_calls;
	const bool has_heap = model->heap.nr_samples || model->has_block_callers;

	maker->rows = (struct table_rows)ROWS_OF(struct line_row);
	make_rows(maker, formats & IN_TEXT);
	document_add_table(maker->document, &(struct table){
		.name = "lines",
		.title = maker->report->title,
		.note = note,
		TABLE_COLUMNS(columns),
		.text_columns = document_text(maker->document, "%sline%s%s%s%s%s%s%s%s%s%s%s,text",
					      maker->report->options->sort ? "function," : "",
					      has_hits ? ",hits" : "",
					      has_time ? ",time_ns" : "",
					      has_hits && has_time ? ",per_hit_ns" : "",
					      has_calls ? ",p99_ns" : "",
					      has_time ? ",time_percent" : "",
					      model->samples.nr ? ",self_ns" : "",
					      samples_know_waits(model) ? ",waiting_ns" : "",
					      has_heap ? ",alloc_bytes,peak_bytes" : "",
					      lines && lines->nr_faults ? ",new_bytes" : "",
					      has_visits && has_memory(model)
						      ? ",rss_bytes,rss_growth_bytes" : "",
					      has_visits ? ",occurrences" : ""),
		.data_columns = document_text(maker->document, "%s%s%s", DATA_COLUMNS,
					      samples_know_waits(model) ? ",waiting_ns" : "",
					      has_visits ? ",rss_bytes,rss_growth_bytes,occurrences" : ""),
		.weight = has_time ? "time_ns" : has_heap ? "alloc_bytes" : "hits",
		.rows = maker->rows,
		.formats = formats,
	});
}

int view_lines(struct document *document, struct report *report)
{
	struct maker maker = { .document = document, .report = report };

	add_table(&maker, IN_TEXT, note_of(document, report));
	add_table(&maker, IN_CSV | IN_JSON, NULL);
	source_files_release(&maker.files);
	return 0;
}
