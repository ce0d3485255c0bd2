/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --diff: functions and call paths of two runs side by side, the largest change first. */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/error.h"
#include "analyzer/base/rank_interval.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/diff.h"
#include "analyzer/tables/document.h"

#define TEXT_ROWS 20
#define CPU_LEAST 0.02	/* of the self time: with less the function waits */

struct diff_row {
	struct function *function;
	const struct diff_path *path;	/* NULL: the row is a function */
	const struct diff_side *before, *after;
	double nr_before, nr_after;	/* runs, of which figures are means */
	/* Of the self time, its CPU time and the total time, after / before; NAN: not known */
	struct rank_interval self, cpu, total;
	double cpu_before_ns, cpu_after_ns;	/* means of a run; NAN: not known */
	double asked_change;		/* of the figure that was asked for; 0: none was */
};

/* A cell of call statistics or of the heap: of one side, or the difference. */
enum { OF_BEFORE = 0, OF_AFTER = 32, OF_CHANGE = 64, OF_PERCENT = 96, OF_SIDE = 96, OF_HEAP = 128 };

/* The mean of a run. Means of calls are none of runs. */
static struct value mean_of(struct value value, double nr_runs)
{
	return nr_runs > 1 && value.type != VALUE_EMPTY
		       ? value_real(value.unit, value_number(value) / nr_runs)
		       : value;
}

static struct value get_side(const struct diff_side *side, size_t index, double nr_runs)
{
	size_t cell = index & (OF_AFTER - 1);

	if (!side->is_there)	/* it took nothing; its mean is not known */
		return cell == CELL_MEAN && !(index & OF_HEAP) ? value_empty() : value_integer(UNIT_COUNT, 0);
	if (index & OF_HEAP)
		return mean_of(heap_cell(&side->heap, cell), nr_runs);
	return cell == CELL_MEAN ? stats_cell(&side->stats, cell)
				 : mean_of(stats_cell(&side->stats, cell), nr_runs);
}

static struct value get_number(const struct column *column, const void *row)
{
	const struct diff_row *of = row;
	struct value before = get_side(of->before, column->index, of->nr_before);
	struct value after = get_side(of->after, column->index, of->nr_after);
	enum unit unit = after.type != VALUE_EMPTY ? after.unit : before.unit;
	double change = value_number(after) - value_number(before);

	before.unit = after.unit = unit;
	switch (column->index & OF_SIDE) {
	case OF_BEFORE:
		return before;
	case OF_AFTER:
		return after;
	default:
		if (before.type == VALUE_EMPTY || after.type == VALUE_EMPTY)	/* not known on one side */
			return value_empty();
	}
	if ((column->index & OF_SIDE) == OF_CHANGE)
		return of->nr_before > 1 || of->nr_after > 1 ? value_real(unit, change)
							     : value_integer(unit, (int64_t)change);
	return value_number(before) > 0 ? value_real(UNIT_PERCENT, 100 * change / value_number(before))
					: value_empty();
}

/* As in view tree. */
static struct value get_path(const struct column *column, const void *row)
{
	static char *text;
	const struct diff_path *of = ((const struct diff_row *)row)->path;
	size_t bytes = 0, length;

	for (const struct diff_path *path = of; path->function; path = path->parent)
		bytes += strlen(path->function->function->name) + 1;
	free(text);
	text = xcalloc(bytes, 1);
	for (const struct diff_path *path = of; path->function; path = path->parent) {
		length = strlen(path->function->function->name);
		bytes -= length + 1;
		memcpy(text + bytes, path->function->function->name, length);
		if (path != of)
			text[bytes + length] = ';';
	}
	return value_text(text);
}

static struct value get_where(const struct column *column, const void *row)
{
	const struct diff_row *of = row;

	return value_text(!of->before->is_there ? "after" : !of->after->is_there ? "before" : "both");
}

/* How sure the change of the self time is, or that of its CPU time, or of the total time. */
enum { SURE_LOW, SURE_HIGH, SURE_WORD, SURE_CPU = 4, SURE_TOTAL = 8, SURE_WHAT = 3 };

static struct value get_sure(const struct column *column, const void *row)
{
	const struct diff_row *of = row;
	const struct rank_interval *interval = column->index & SURE_CPU ? &of->cpu :
		column->index & SURE_TOTAL ? &of->total : &of->self;
	double ratio;

	if (isnan(interval->ratio))
		return value_empty();
	if ((column->index & SURE_WHAT) == SURE_WORD)
		return value_text(interval->low > 1 ? "slower" : interval->high < 1 ? "faster" : "noise");
	ratio = (column->index & SURE_WHAT) == SURE_LOW ? interval->low : interval->high;
	return value_real(UNIT_PERCENT, 100 * (ratio - 1));
}

static struct value get_cpu(const struct column *column, const void *row)
{
	const struct diff_row *of = row;
	const double numbers[] = { of->cpu_before_ns, of->cpu_after_ns,
				   of->cpu_after_ns - of->cpu_before_ns };

	return value_real(UNIT_NS, numbers[column->index]);
}

#define NUMBER(name, unit, title, change_title, flags, cell) \
	{ name "_before" unit, title, flags, get_number, OF_BEFORE | (cell) }, \
	{ name "_after" unit, "after", flags, get_number, OF_AFTER | (cell) }, \
	{ name "_change" unit, change_title, flags, get_number, OF_CHANGE | (cell) }, \
	{ name "_change_percent", "", 0, get_number, OF_PERCENT | (cell) }

static const struct column columns[] = {
	{ "function", "Function", COLUMN_FUNCTION, MEMBER_FUNCTION(struct diff_row, function, CELL_NAME) },
	{ "module", "Module", COLUMN_LEFT, MEMBER_FUNCTION(struct diff_row, function, CELL_MODULE) },
	{ "file", "File", COLUMN_LEFT, MEMBER_FUNCTION(struct diff_row, function, CELL_FILE) },
	{ "line", "Line", 0, MEMBER_FUNCTION(struct diff_row, function, CELL_LINE) },
	{ "found", "In", COLUMN_LEFT | COLUMN_SPARE, get_where, 0 },
	NUMBER("self", "_ns", "Self before", "change", COLUMN_SUMS, CELL_SELF),
	{ "self_low_percent", "from", 0, get_sure, SURE_LOW },
	{ "self_high_percent", "to", 0, get_sure, SURE_HIGH },
	{ "self_sure", "Sure", COLUMN_LEFT, get_sure, SURE_WORD },
	{ "self_cpu_before_ns", "CPU before", COLUMN_SUMS, get_cpu, 0 },
	{ "self_cpu_after_ns", "after", COLUMN_SUMS, get_cpu, 1 },
	{ "self_cpu_change_ns", "CPU change", COLUMN_SUMS, get_cpu, 2 },
	{ "self_cpu_low_percent", "from", 0, get_sure, SURE_LOW | SURE_CPU },
	{ "self_cpu_high_percent", "to", 0, get_sure, SURE_HIGH | SURE_CPU },
	{ "self_cpu_sure", "Sure", COLUMN_LEFT, get_sure, SURE_WORD | SURE_CPU },
	NUMBER("total", "_ns", "Total before", "Total change", 0, CELL_TOTAL),
	{ "total_low_percent", "from", 0, get_sure, SURE_LOW | SURE_TOTAL },
	{ "total_high_percent", "to", 0, get_sure, SURE_HIGH | SURE_TOTAL },
	{ "total_sure", "Sure", COLUMN_LEFT, get_sure, SURE_WORD | SURE_TOTAL },
	NUMBER("calls", "", "Calls before", "change", COLUMN_SUMS, CELL_CALLS),
	NUMBER("mean", "_ns", "Mean before", "Mean change", 0, CELL_MEAN),
	NUMBER("alloc", "_bytes", "Alloc before", "Alloc change", COLUMN_SUMS, OF_HEAP | CELL_ALLOC_BYTES),
	NUMBER("peak_heap", "_bytes", "At peak before", "At peak change", COLUMN_SUMS,
	       OF_HEAP | CELL_PEAK_BYTES),
	NUMBER("not_freed", "_bytes", "Not freed before", "Not freed change", COLUMN_SUMS,
	       OF_HEAP | CELL_NOT_FREED_BYTES),
	{ "path", "Path", COLUMN_LEFT | COLUMN_ROOM | COLUMN_EXTRA, get_path, 0 },
};

static double mean_self_ns(const struct diff_side *side, double nr_runs)
{
	return fmax(0, side->stats.self_ns) / nr_runs;
}

/* The change is known if both times are. A side without calls took no time. */
static bool knows_change(const struct diff_row *row)
{
	return (!row->before->is_there || call_stats_know_self(&row->before->stats)) &&
	       (!row->after->is_there || call_stats_know_self(&row->after->stats));
}

static bool knows_total(const struct diff_side *side)
{
	return !side->is_there || call_stats_know_total(&side->stats);
}

/* Samples have CPU time and no calls. */
static bool is_of_samples(const struct diff_row *row)
{
	return !row->before->stats.calls && !row->after->stats.calls;
}

static double change_of(const struct diff_row *row)
{
	double self_ns = is_of_samples(row) ? row->cpu_after_ns - row->cpu_before_ns
					    : mean_self_ns(row->after, row->nr_after) -
						      mean_self_ns(row->before, row->nr_before);

	if (!is_of_samples(row) && !knows_change(row))
		return 0;
	return fabs(self_ns) >= 1 ? fabs(self_ns) : 0;
}

static double sure_part(const struct rank_interval *interval)
{
	return isnan(interval->ratio) ? 0 : fmax(fmax(interval->low - 1, 1 - interval->high), 0);
}

/*
 * The part of the change that is sure. 0: the change is within noise, or the noise is not known. On a busy
 * machine wall time says little, so CPU time decides, except for functions that mostly wait.
 */
static double sure_change_of(const struct diff_row *row)
{
	if (!isnan(row->cpu.ratio) &&
	    row->cpu_after_ns >= CPU_LEAST * mean_self_ns(row->after, row->nr_after))
		return row->cpu_before_ns * sure_part(&row->cpu);
	return mean_self_ns(row->before, row->nr_before) * sure_part(&row->self);
}

static double calls_change_of(const struct diff_row *row)
{
	return fabs((double)row->after->stats.calls / row->nr_after -
		    (double)row->before->stats.calls / row->nr_before);
}

static double asked_change_of(const struct diff_row *row)
{
	return row->asked_change;
}

/* By the wanted column, if there is one; then sure changes, then measured ones. Without times, by calls. */
static int most_changed_first(const void *a, const void *b)
{
	double (*const keys[])(const struct diff_row *) = { asked_change_of, sure_change_of, change_of,
							    calls_change_of };
	const struct diff_row *x = a, *y = b;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		double left = keys[i](x), right = keys[i](y);

		if (left != right)
			return left < right ? 1 : -1;
	}
	return strcmp(x->function->name, y->function->name);
}

static double mean_of_runs(const double *values, size_t nr)
{
	double sum = values ? 0 : NAN;

	for (size_t i = 0; values && i < nr; i++)
		sum += values[i];
	return sum / (double)nr;
}

static struct diff_row row_of(struct function *function, const struct diff_path *path,
			      const struct diff_side *sides, const struct report *report)
{
	size_t nr_before = report->before->model->nr_runs, nr_after = report->model->nr_runs;
	struct diff_row row = {
		.function = function, .path = path,
		.before = &sides[DIFF_BEFORE], .after = &sides[DIFF_AFTER],
		.nr_before = nr_before, .nr_after = nr_after,
		.self = { NAN, NAN, NAN }, .cpu = { NAN, NAN, NAN }, .total = { NAN, NAN, NAN },
	};

	if (row.before->self_runs_ns && row.after->self_runs_ns &&
	    (knows_change(&row) || is_of_samples(&row))) {
		if (!isnan(mean_of_runs(row.before->self_runs_ns, nr_before)) &&
		    !isnan(mean_of_runs(row.after->self_runs_ns, nr_after)))
			rank_interval(&row.self, row.before->self_runs_ns, nr_before, row.after->self_runs_ns,
				      nr_after);
		rank_interval(&row.cpu, row.before->cpu_runs_ns, nr_before, row.after->cpu_runs_ns, nr_after);
	}
	if (row.before->total_runs_ns && row.after->total_runs_ns &&
	    knows_total(row.before) && knows_total(row.after))
		rank_interval(&row.total, row.before->total_runs_ns, nr_before, row.after->total_runs_ns,
			      nr_after);
	row.cpu_before_ns = row.before->is_there ? mean_of_runs(row.before->cpu_runs_ns, nr_before) : 0;
	row.cpu_after_ns = row.after->is_there ? mean_of_runs(row.after->cpu_runs_ns, nr_after) : 0;
	return row;
}

static void list_functions(struct document *document, struct table_rows *rows, const struct report *report)
{
	const struct diff *diff = report->diff;

	for (size_t i = 0; i < diff->nr_functions; i++) {
		const struct diff_function *of = diff->functions[i];
		const struct diff_row row = row_of(of->function, NULL, of->sides, report);

		if (of->function->kind == FUNCTION_PLAIN && (row.before->is_there || row.after->is_there))
			document_add_row(document, rows, &row);
	}
}

static void list_paths(struct document *document, struct table_rows *rows, const struct report *report)
{
	const struct diff *diff = report->diff;

	for (size_t i = 1; i < diff->nr_paths; i++) {
		const struct diff_path *path = diff->paths[i];
		const struct diff_row row = row_of(path->function->function, path, path->sides, report);

		if (!diff_path_is_of_counters(path))
			document_add_row(document, rows, &row);
	}
}

/* "insideme.data/..., 2026-11-20 10:14:03, 98.2 s, 1.61 M calls, 81.2 s in functions" */
static char *tell_run(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	time_t start = (time_t)(model->start_realtime_ns / 1000000000);
	char when[64] = "";
	struct tm then;

	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", localtime_r(&start, &then));
	return document_text(
		document, "%s of %s%s, %s; %s, %s, %s in functions", report->runs[0].path, when,
		report->nr_runs > 1 ? document_text(document, " and %zu more", report->nr_runs - 1) : "",
		document_number(document, UNIT_NS, model->end),
		document_count(document, model->nr_processes, "process"),
		document_count(document, model->calls, "call"),
		report_has_times(report) ? document_number(document, UNIT_NS, fmax(0, model->functions_ns))
					 : "no time");
}

static void tell_launches(struct document *document, const struct report *report, const char *side)
{
	const struct model *model = report->model;

	if (model->nr_monitors > model->nr_runs)
		document_add(document, "Doubt",
			     document_text(document,
					   "%s, insideme-run recorded %zu launches as %s: numbers of a run "
					   "are their sums",
					   side, model->nr_monitors,
					   document_count(document, model->nr_runs, "run")));
}

/* Report what makes the runs hard to compare. */
static void tell_doubts(struct document *document, const struct report *report)
{
	const struct report *before = report->before;
	const struct diff *diff = report->diff;
	size_t nr_common = 0;

	for (size_t i = 0; i < diff->nr_functions; i++)
		nr_common += diff->functions[i]->sides[DIFF_BEFORE].is_there &&
			     diff->functions[i]->sides[DIFF_AFTER].is_there;
	if (strcmp(report_program(before), report_program(report)) != 0)
		document_add(document, "Doubt",
			     document_text(document,
					   "these are different programs, %s "
					   "before and %s after: functions are matched by name",
					   report_program(before), report_program(report)));
	tell_launches(document, before, "before");
	tell_launches(document, report, "after");
	if (report_has_times(before) != report_has_times(report))
		document_add(document, "Doubt", "one of them has no times (INSIDEME_TIMING=counts)");
	else if (report_has_errors(before) != report_has_errors(report))
		document_add(document, "Doubt",
			     "all calls of one were timed, short functions of the other were counted: times "
			     "of short functions differ by that too");
	if (report_has_live_heap(before) != report_has_live_heap(report))
		document_add(document, "Doubt", "one of them did not record what lives on the heap");
	if (!nr_common && before->model->nr_functions && report->model->nr_functions)
		document_add(document, "Doubt", "no function has the same name in both");
}

static const char *text_columns(const struct report *report, bool of_paths)
{
	bool times = report_has_times(report) && report_has_times(report->before);

	if (of_paths)
		return times ? "self_before_ns,self_after_ns,self_change_ns,calls_change,path" :
			"calls_before,calls_after,calls_change,path";
	if (report->model->is_sampled && report->before->model->is_sampled)
		return "self_cpu_before_ns,self_cpu_after_ns,self_cpu_change_ns,self_cpu_low_percent,"
		       "self_cpu_high_percent,self_cpu_sure,found,function";
	if (times && report->model->nr_runs >= RANKS_LEAST && report->before->model->nr_runs >= RANKS_LEAST)
		return "self_before_ns,self_after_ns,self_low_percent,self_high_percent,self_sure,"
		       "self_cpu_change_ns,self_cpu_low_percent,self_cpu_high_percent,self_cpu_sure,"
		       "calls_before,calls_after,found,function";
	return times ? "self_before_ns,self_after_ns,self_change_ns,self_change_percent,total_change_ns,"
		"calls_before,calls_after,found,function"
		     : "calls_before,calls_after,calls_change,calls_change_percent,alloc_change_bytes,"
		     	"found,function";
}

/* Columns for rules about allocations and calls: changes of times say nothing about these. */
#define ALLOC		"alloc_change_bytes", \
			"alloc_before_bytes,alloc_after_bytes,alloc_change_bytes,found,function"
#define PEAK_HEAP	"peak_heap_change_bytes", \
			"peak_heap_before_bytes,peak_heap_after_bytes,peak_heap_change_bytes,found,function"
#define NOT_FREED	"not_freed_change_bytes", \
			"not_freed_before_bytes,not_freed_after_bytes,not_freed_change_bytes,found,function"

static const struct asked {
	const char *figure, *change;
	const char *text_columns;
} askable[] = {
	{ "calls", "calls_change", "calls_before,calls_after,calls_change,found,function" },
	{ "alloc_calls", ALLOC },
	{ "alloc_bytes", ALLOC },
	{ "heap_peak_bytes", PEAK_HEAP },
	{ "peak_heap_bytes", PEAK_HEAP },
	{ "not_freed_bytes", NOT_FREED },
};

static const struct asked *find_asked(const char *figure)
{
	for (size_t i = 0; figure && i < sizeof(askable) / sizeof(*askable); i++)
		if (strcmp(askable[i].figure, figure) == 0)
			return &askable[i];
	return NULL;
}

/* Keep the rows that changed in what was asked for. Return: whether any did */
static bool keep_changed(struct table_rows *rows, const struct asked *asked)
{
	const struct column *column = columns;
	struct diff_row *list = (struct diff_row *)rows->list;
	size_t nr_kept = 0;

	while (strcmp(column->name, asked->change) != 0)
		column++;
	for (size_t i = 0; i < rows->nr; i++) {
		struct value change = get_number(column, &list[i]);

		list[i].asked_change = change.type == VALUE_EMPTY ? 0 : fabs(value_number(change));
		if (list[i].asked_change > 0)
			list[nr_kept++] = list[i];
	}
	rows->nr = nr_kept;
	return nr_kept;
}

static const char *note_of(struct document *document, const struct report *report, bool may_have_intervals)
{
	size_t nr_before = report->before->model->nr_runs, nr_after = report->model->nr_runs;
	bool has_intervals = may_have_intervals && nr_before >= RANKS_LEAST && nr_after >= RANKS_LEAST;

	if (nr_before == 1 && nr_after == 1)
		return "change: after less before; largest change first; matched by name";
	return document_text(document,
		"means of a run, of %zu before and %zu after; change: after less before; %s; matched by name",
		nr_before, nr_after, !has_intervals ? "largest change first" :
		"from, to: the change is between them with 95 %; the least change that is sure comes first");
}

static void tell_both(struct document *document, const struct report *report)
{
	document_add(document, "Before", tell_run(document, report->before));
	document_add(document, "After", tell_run(document, report));
	tell_doubts(document, report);
}

static int make(struct document *document, struct report *report, bool of_paths, const struct asked *asked)
{
	struct table_rows rows = ROWS_OF(struct diff_row);

	(of_paths ? list_paths : list_functions)(document, &rows, report);
	if (asked && !keep_changed(&rows, asked))
		return 0;
	table_rows_sort(&rows, most_changed_first);
	document_add_table(document, &(struct table){
		.name = of_paths ? "tree" : "functions",
		.what = of_paths ? "call paths" : NULL,
		.title = report->title,
		.note = note_of(document, report, !of_paths && !asked),
		.columns = columns,
		/* without the path, which is the last column */
		.nr_columns = sizeof(columns) / sizeof(*columns) - !of_paths,
		.text_columns = asked ? asked->text_columns : text_columns(report, of_paths),
		.data_also = of_paths ? COLUMN_EXTRA : 0,
		.weight = "self_after_ns",
		.text_top = TEXT_ROWS,
		.rows = rows,
		.apart = true,
	});
	return 0;
}

int view_functions_diff(struct document *document, struct report *report)
{
	tell_both(document, report);
	return make(document, report, false, NULL);
}

static bool is_same(const struct asked *one, const struct asked *other)
{
	return one == other || (one && other && strcmp(one->change, other->change) == 0);
}

void view_functions_diff_of(struct document *document, struct report *report, const char *const *figures,
			    size_t nr)
{
	tell_both(document, report);
	for (size_t i = 0; i < nr; i++) {
		const struct asked *asked = find_asked(figures[i]);
		size_t first = 0;

		while (!is_same(asked, find_asked(figures[first])))
			first++;
		if (first == i)
			make(document, report, false, asked);
	}
}

int view_tree_diff(struct document *document, struct report *report)
{
	tell_both(document, report);
	return make(document, report, true, NULL);
}
