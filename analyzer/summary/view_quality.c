/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far to trust the report. */
#include "analyzer/summary/summary.h"

#include <math.h>
#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/cells/flag_advice.h"
#include "analyzer/summary/doubts.h"
#include "analyzer/views/views.h"

#define DEAR_ROWS 10

static struct value get_number(const struct column *column, const void *row)
{
	const struct finding *finding = row;

	return value_real(finding->unit, finding->number);
}

static const struct column columns[] = {
	{ "finding", "Finding", COLUMN_LEFT, MEMBER(struct finding, name, 0) },
	{ "value", "", 0, get_number, 0 },
	{ "text", "", COLUMN_LEFT | COLUMN_WRAPS, MEMBER(struct finding, text, 0) },
};

/* ---- functions whose hooks cost more than their work ---- */

struct dear_row {
	struct facts facts;
	double work_ns;
	double work_per_call_ns, hooks_per_call_ns;
};

static const struct column dear_columns[] = {
	{ "calls", "Calls", COLUMN_SUMS, facts_stats, CELL_CALLS },
	{ "hooks_ns", "Hooks", COLUMN_SUMS, MEMBER_NS(struct dear_row, facts.stats.hooks_ns) },
	{ "self_ns", "Work", COLUMN_SUMS, MEMBER_NS(struct dear_row, work_ns) },
	{ "hooks_per_call_ns", "a call", 0, MEMBER(struct dear_row, hooks_per_call_ns, UNIT_NS) },
	{ "self_per_call_ns", "a call", COLUMN_SPARE, MEMBER(struct dear_row, work_per_call_ns, UNIT_NS) },
	{ "function", "Function", COLUMN_LEFT | COLUMN_ROOM | COLUMN_NAME, facts_function, CELL_NAME },
	{ "file", "File", COLUMN_LEFT, facts_function, CELL_FILE },
	{ "line", "Line", 0, facts_function, CELL_LINE },
};

static void add_dear(struct document *document, const struct report *report)
{
	struct table_rows rows = ROWS_OF(struct dear_row);

	for (size_t i = 0; i < report->model->nr_functions; i++) {
		struct function *function = report->model->functions[i];
		const struct call_stats *stats = &function->stats;
		double work_ns = fmax(stats->self_ns, 0), calls = (double)stats->calls;

		if (function->kind == FUNCTION_PLAIN && excludes_is_dear(function))
			document_add_row(document, &rows, &(struct dear_row){
				{ .function = function, .stats = *stats }, work_ns, work_ns / calls,
				stats->hooks_ns / calls });
	}
	document_add_table(document, &(struct table){
		.name = "hooks",
		.what = "functions",
		.title = "functions whose hooks cost more than their own work",
		TABLE_COLUMNS(dear_columns),
		.text_columns = "hooks_ns,hooks_per_call_ns,self_ns,self_per_call_ns,calls,function",
		.text_sort = "hooks_ns",
		.data_sort = "hooks_ns",
		.text_top = DEAR_ROWS,
		.aside = true,
		.rows = rows,
		.formats = (rows.nr ? IN_TEXT : 0) | IN_JSON,
		.apart = true,
	});
}

int view_quality(struct document *document, struct report *report)
{
	struct table_rows rows = ROWS_OF(struct finding);
	struct findings findings;

	functions_used_ns(report);
	findings_collect(&findings, document, report->model);
	for (size_t i = 0; i < findings.nr; i++)
		document_add_row(document, &rows, &findings.list[i]);
	findings_release(&findings);
	document_add_table(document, &(struct table){
		.name = "quality",
		.what = "findings",
		.title = report->title,
		.note = report->model->calls && (report->model->is_raw || !(report->model->hooks_ns > 0)) ?
			"times include the hooks' own cost" : NULL,
		TABLE_COLUMNS(columns),
		.text_columns = "finding,text",
		.rows = rows,
	});
	add_dear(document, report);
	summary_flags(document, report);
	return 0;
}
