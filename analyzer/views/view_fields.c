/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time and memory by field: what functions are for. */
#include "analyzer/views/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/cells/field_rows.h"
#include "analyzer/read/fields.h"

#define PROCESS_ROWS 40

static struct value get_name(const struct column *column, const void *row)
{
	struct value name = value_text(((const struct field_row *)row)->field);

	name.is_literal = true;	/* parentheses are part of the name */
	return name;
}

static struct value get_share(const struct column *column, const void *row)
{
	const struct field_row *of = row;

	return of->all_ns > 0 && isfinite(of->stats.self_ns) &&
			       (!call_stats_are_counted(&of->stats) || call_stats_know_self(&of->stats))
		       ? value_real(UNIT_PERCENT, 100 * fmax(0, of->stats.self_ns) / of->all_ns)
		       : value_empty();
}

static struct value get_stats(const struct column *column, const void *row)
{
	const struct field_row *of = row;

	if (!of->nr_functions)	/* Others */
		return column->index == CELL_SELF ? ns_cell(of->stats.self_ns) : value_empty();
	return stats_cell(&of->stats, column->index);
}

static struct value get_heap(const struct column *column, const void *row)
{
	const struct field_row *of = row;

	return of->has_heap ? heap_cell(&of->heap, column->index) : value_empty();
}

static const struct column columns[] = {
	{ "pid", "Pid", COLUMN_EXTRA, MEMBER_PROCESS(struct field_row, process, WHO_PID) },
	{ "rank", "Rank", COLUMN_SPARE | COLUMN_EXTRA, MEMBER_PROCESS(struct field_row, process, WHO_RANK) },
	{ "program", "Program", COLUMN_LEFT | COLUMN_SPARE | COLUMN_EXTRA, MEMBER_PROCESS(struct field_row,
	  process, WHO_PROGRAM) },
	{ "field", "Field", COLUMN_FUNCTION, get_name, 0 },
	{ "functions", "Functions", COLUMN_SUMS | COLUMN_SPARE, MEMBER(struct field_row, nr_functions,
	  UNIT_COUNT | NOT_0) },
	{ "calls", "Calls", COLUMN_SUMS, get_stats, CELL_CALLS },
	{ "self_ns", "Self", COLUMN_SUMS, get_stats, CELL_SELF },
	{ "self_percent", "", COLUMN_SUMS, get_share, 0 },
	{ "total_ns", "Total", 0, get_stats, CELL_TOTAL },
	{ "open_calls", "Open", COLUMN_SUMS, get_stats, CELL_OPEN_CALLS },
	{ "alloc_calls", "Allocs", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_ALLOC_CALLS },
	{ "alloc_bytes", "Alloc", COLUMN_SUMS, get_heap, CELL_ALLOC_BYTES },
	{ "free_calls", "Frees", COLUMN_SUMS, get_heap, CELL_FREE_CALLS },
	{ "freed_bytes", "Freed", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_FREED_BYTES },
	{ "peak_heap_bytes", "At peak", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_PEAK_BYTES },
	{ "not_freed_bytes", "Not freed", COLUMN_SUMS | COLUMN_SPARE, get_heap, CELL_NOT_FREED_BYTES },
};

static struct table table_of(struct document *document, const struct report *report)
{
	return (struct table){
		.name = "fields",
		TABLE_COLUMNS(columns),
		.text_columns = document_text(
			document, "%s%sfield",
			report_has_times(report) ? "self_ns,self_percent,total_ns," : "",
			report_has_heap(report)
				? "calls,alloc_calls,alloc_bytes,freed_bytes,peak_heap_bytes,functions,"
				: "calls,functions,"),
		.rows = ROWS_OF(struct field_row),
	};
}

/* Add the fields of single processes, if there are several. csv has no other rows. */
static void add_processes(struct document *document, const struct report *report, struct process_fields *of,
			  bool are_several)
{
	struct table table = table_of(document, report);

	table.data_also = COLUMN_EXTRA;
	table.next = process_fields_next;
	table.source = of;
	table.name = "processes";
	table.what = "fields";
	table.title = "by process";
	table.aside = strcmp(report->options->format, "csv") != 0;
	table.text_columns = document_text(document, "%spid,program,%s",
					   report_has_ranks(report) ? "rank," : "", table.text_columns);
	table.text_top = PROCESS_ROWS;
	table.formats = (are_several ? IN_TEXT : 0) | IN_CSV | IN_JSON;
	document_add_table(document, &table);
}

static void add_fields(struct document *document, const struct report *report,
		       const struct field_rows *fields)
{
	struct table table = table_of(document, report);

	table.rows.list = fields->rows;
	table.rows.nr = fields->nr_rows;
	table.title = report->title;
	table.note = !fields->nr_rows ? "no calls were recorded; insideme-report -v summary says why" :
		"Others: the rest of the threads' wall time; total: outermost calls of a field; @name: in "
		"no field";
	table.text_sort = table.data_sort = report_has_times(report) ? "self_ns" : "calls";
	table.text_top = 20;
	table.formats = IN_TEXT | IN_JSON | (model_has_saved(report->model) ? IN_CSV : 0);
	document_add_table(document, &table);
}

int view_fields(struct document *document, struct report *report)
{
	struct model *model = report->model;
	struct field_rows *fields = document_new(document, sizeof(*fields)), all;
	struct process_fields *processes;
	double others_ns = NAN;
	size_t nr;

	fields_apply(model, report->options->fields);
	processes = field_rows_make(document, report, fields);
	all = *fields;
	/* neither the fields of each process nor how long threads lived are known */
	if (model_has_saved(model)) {
		add_fields(document, report, fields);
		return 0;
	}
	nr = process_fields_sum(processes, &others_ns);
	if (all.nr_rows)
		field_rows_add_others(
			&all,
			(struct field_row){ .has_heap = report_has_heap(report), .heap = *model->root->heap },
			others_ns);
	add_fields(document, report, &all);
	add_processes(document, report, processes, nr > 1);
	return 0;
}
