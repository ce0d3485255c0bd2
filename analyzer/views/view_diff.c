/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --diff: functions and call paths of two runs side by side, the largest change first. */
#include "analyzer/views/views.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/diff.h"
#include "analyzer/tables/document.h"

#define TEXT_ROWS 20

struct diff_row {
	struct function *function;
	const struct diff_path *path;	/* NULL: the row is a function */
	const struct diff_side *before, *after;
};

/* A cell of call statistics or of the heap: of one side, or the difference. */
enum { OF_BEFORE = 0, OF_AFTER = 32, OF_CHANGE = 64, OF_PERCENT = 96, OF_SIDE = 96, OF_HEAP = 128 };

static struct value get_side(const struct diff_side *side, size_t index)
{
	size_t cell = index & (OF_AFTER - 1);

	if (!side->is_there)	/* it took nothing; its mean is not known */
		return cell == CELL_MEAN && !(index & OF_HEAP) ? value_empty() : value_integer(UNIT_COUNT, 0);
	return index & OF_HEAP ? heap_cell(&side->heap, cell) : stats_cell(&side->stats, cell);
}

static struct value get_number(const struct column *column, const void *row)
{
	const struct diff_row *of = row;
	struct value before = get_side(of->before, column->index), after = get_side(of->after, column->index);
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
		return value_integer(unit, (int64_t)change);
	return value_number(before) > 0 ? value_real(UNIT_PERCENT, 100 * change / value_number(before))
					: value_empty();
}

static struct value get_function(const struct column *column, const void *row)
{
	return function_cell(((const struct diff_row *)row)->function, column->index);
}

/* As in view tree. */
static struct value get_path(const struct column *column, const void *row)
{
	static char *text;
	const struct diff_path *of = ((const struct diff_row *)row)->path;
	size_t bytes = 0, length;

	(void)column;
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

	(void)column;
	return value_text(!of->before->is_there ? "after" : !of->after->is_there ? "before" : "both");
}

#define NUMBER(name, unit, title, change_title, flags, cell) \
	{ name "_before" unit, title, flags, get_number, OF_BEFORE | (cell) }, \
	{ name "_after" unit, "after", flags, get_number, OF_AFTER | (cell) }, \
	{ name "_change" unit, change_title, flags, get_number, OF_CHANGE | (cell) }, \
	{ name "_change_percent", "", 0, get_number, OF_PERCENT | (cell) }

static const struct column columns[] = {
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_function, CELL_NAME },
	{ "module", "Module", COLUMN_LEFT, get_function, CELL_MODULE },
	{ "file", "File", COLUMN_LEFT, get_function, CELL_FILE },
	{ "line", "Line", 0, get_function, CELL_LINE },
	{ "found", "In", COLUMN_LEFT | COLUMN_SPARE, get_where, 0 },
	NUMBER("self", "_ns", "Self before", "change", COLUMN_SUMS, CELL_SELF),
	NUMBER("total", "_ns", "Total before", "Total change", 0, CELL_TOTAL),
	NUMBER("calls", "", "Calls before", "change", COLUMN_SUMS, CELL_CALLS),
	NUMBER("mean", "_ns", "Mean before", "Mean change", 0, CELL_MEAN),
	NUMBER("alloc", "_bytes", "Alloc before", "Alloc change", COLUMN_SUMS, OF_HEAP | CELL_ALLOC_BYTES),
	NUMBER("peak_heap", "_bytes", "At peak before", "At peak change", COLUMN_SUMS,
	       OF_HEAP | CELL_PEAK_BYTES),
	NUMBER("not_freed", "_bytes", "Not freed before", "Not freed change", COLUMN_SUMS,
	       OF_HEAP | CELL_NOT_FREED_BYTES),
	{ "path", "Path", COLUMN_LEFT | COLUMN_ROOM, get_path, 0 },
};

#define NUMBER_COLUMNS(name, unit)                                                                           \
	"," name "_before" unit "," name "_after" unit "," name "_change" unit "," name "_change_percent"
#define DATA_COLUMNS \
	"function,module,file,line,found" NUMBER_COLUMNS("self", "_ns") NUMBER_COLUMNS("total", "_ns")       \
		NUMBER_COLUMNS("calls", "") NUMBER_COLUMNS("mean", "_ns") NUMBER_COLUMNS("alloc", "_bytes")  \
			NUMBER_COLUMNS("peak_heap", "_bytes") NUMBER_COLUMNS("not_freed", "_bytes")

static double change_of(const struct diff_row *row)
{
	double self_ns = fmax(0, row->after->stats.self_ns) - fmax(0, row->before->stats.self_ns);

	return fabs(self_ns) >= 1 ? fabs(self_ns) : 0;
}

/* Without times, calls decide. */
static int most_changed_first(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	double left = change_of(x), right = change_of(y);

	if (left == right) {
		left = fabs((double)x->after->stats.calls - (double)x->before->stats.calls);
		right = fabs((double)y->after->stats.calls - (double)y->before->stats.calls);
	}
	if (left != right)
		return left < right ? 1 : -1;
	return strcmp(x->function->name, y->function->name);
}

static size_t list_functions(struct diff_row *rows, const struct diff *diff)
{
	size_t nr = 0;

	for (size_t i = 0; i < diff->nr_functions; i++) {
		const struct diff_function *function = diff->functions[i];

		if (function->function->kind == FUNCTION_PLAIN &&
		    (function->sides[DIFF_BEFORE].is_there || function->sides[DIFF_AFTER].is_there))
			rows[nr++] =
				(struct diff_row){ function->function, NULL, &function->sides[DIFF_BEFORE],
						   &function->sides[DIFF_AFTER] };
	}
	return nr;
}

static size_t list_paths(struct diff_row *rows, const struct diff *diff)
{
	size_t nr = 0;

	for (size_t i = 1; i < diff->nr_paths; i++) {
		const struct diff_path *path = diff->paths[i];

		if (diff_path_is_of_counters(path))
			continue;
		rows[nr++] = (struct diff_row){ path->function->function, path, &path->sides[DIFF_BEFORE],
			&path->sides[DIFF_AFTER] };
	}
	return nr;
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
		document_number(document, UNIT_NS, (double)model->end),
		document_count(document, (double)model->nr_processes, "process"),
		document_count(document, (double)model->calls, "call"),
		report_has_times(report) ? document_number(document, UNIT_NS, fmax(0, model->functions_ns))
					 : "no time");
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
	if (before->nr_runs != report->nr_runs)
		document_add(document, "Doubt", document_text(document,
			"sums of %zu runs before, of %zu after", before->nr_runs, report->nr_runs));
	if (report_has_times(before) != report_has_times(report))
		document_add(document, "Doubt", "one of them has no times (INSIDEME_TIMING=counts)");
	else if (report_has_errors(before) != report_has_errors(report))
		document_add(document, "Doubt",
			     "all calls of one were timed, short functions of the other were counted or estimated: "
			     "times of short functions differ by that too");
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
	return times ? "self_before_ns,self_after_ns,self_change_ns,self_change_percent,total_change_ns,"
		"calls_before,calls_after,found,function"
		     : "calls_before,calls_after,calls_change,calls_change_percent,alloc_change_bytes,"
		     	"found,function";
}

static int make(struct document *document, struct report *report, bool of_paths)
{
	const struct diff *diff = report->diff;
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct diff_row *list = document_new(document, (diff->nr_functions + diff->nr_paths) * sizeof(*list));

	rows->rows = list;
	rows->nr_rows = of_paths ? list_paths(list, diff) : list_functions(list, diff);
	qsort(list, rows->nr_rows, sizeof(*list), most_changed_first);
	*table = (struct table){
		.name = of_paths ? "tree" : "functions",
		.what = of_paths ? "call paths" : NULL,
		.title = report->title,
		.note = "change: after less before; largest change first; matched by name",
		.columns = columns,
		/* without the path, which is the last column */
		.nr_columns = sizeof(columns) / sizeof(*columns) - !of_paths,
		.text_columns = text_columns(report, of_paths),
		.data_columns = of_paths ? DATA_COLUMNS ",path" : DATA_COLUMNS,
		.weight = "self_after_ns",
		.text_top = TEXT_ROWS,
		.row_bytes = sizeof(*list),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	document_add(document, "Before", tell_run(document, report->before));
	document_add(document, "After", tell_run(document, report));
	tell_doubts(document, report);
	document_add_table(document, table)->apart = true;
	return 0;
}

int view_functions_diff(struct document *document, struct report *report)
{
	return make(document, report, false);
}

int view_tree_diff(struct document *document, struct report *report)
{
	return make(document, report, true);
}
