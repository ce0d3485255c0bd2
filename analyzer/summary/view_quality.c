/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far to trust the report. */
#include "analyzer/views/views.h"

#include <math.h>
#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/cells/flag_advice.h"
#include "analyzer/summary/doubts.h"
#include "analyzer/summary/summary.h"

#define DEAR_ROWS 10

enum { CELL_FINDING, CELL_VALUE, CELL_TEXT };

static struct value get(const struct column *column, const void *row)
{
	const struct finding *finding = row;

	if (column->index == CELL_FINDING)
		return value_text(finding->name);
	if (column->index == CELL_TEXT)
		return value_text(finding->text);
	return value_real(finding->unit, finding->number);
}

static const struct column columns[] = {
	{ "finding", "Finding", COLUMN_LEFT, get, CELL_FINDING },
	{ "value", "", 0, get, CELL_VALUE },
	{ "text", "", COLUMN_LEFT | COLUMN_WRAPS, get, CELL_TEXT },
};

/* ---- functions whose hooks cost more than their work ---- */

enum { DEAR_CALLS, DEAR_WORK, DEAR_HOOKS, DEAR_WORK_EACH, DEAR_HOOKS_EACH };

static struct value get_dear(const struct column *column, const void *row)
{
	const struct call_stats *stats = &(*(struct function *const *)row)->stats;
	double work_ns = fmax(stats->self_ns, 0);

	switch (column->index) {
	case DEAR_CALLS:
		return stats_cell(stats, CELL_CALLS);
	case DEAR_WORK:
		return ns_cell(work_ns);
	case DEAR_HOOKS:
		return ns_cell(stats->hooks_ns);
	case DEAR_WORK_EACH:
		return value_real(UNIT_NS, work_ns / (double)stats->calls);
	default:
		return value_real(UNIT_NS, stats->hooks_ns / (double)stats->calls);
	}
}

static struct value get_dear_name(const struct column *column, const void *row)
{
	return function_cell(*(struct function *const *)row, column->index);
}

static const struct column dear_columns[] = {
	{ "calls", "Calls", COLUMN_SUMS, get_dear, DEAR_CALLS },
	{ "hooks_ns", "Hooks", COLUMN_SUMS, get_dear, DEAR_HOOKS },
	{ "self_ns", "Work", COLUMN_SUMS, get_dear, DEAR_WORK },
	{ "hooks_per_call_ns", "a call", 0, get_dear, DEAR_HOOKS_EACH },
	{ "self_per_call_ns", "a call", COLUMN_SPARE, get_dear, DEAR_WORK_EACH },
	{ "function", "Function", COLUMN_LEFT | COLUMN_ROOM | COLUMN_NAME, get_dear_name, CELL_NAME },
	{ "file", "File", COLUMN_LEFT, get_dear_name, CELL_FILE },
	{ "line", "Line", 0, get_dear_name, CELL_LINE },
};

static void add_dear(struct document *document, const struct report *report)
{
	const struct model *model = report->model;
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct function **list = document_new(document, (model->nr_functions + 1) * sizeof(*list));

	for (size_t i = 0; i < model->nr_functions; i++)
		if (model->functions[i]->kind == FUNCTION_PLAIN && excludes_is_dear(model->functions[i]))
			list[rows->nr_rows++] = model->functions[i];
	rows->rows = list;
	*table = (struct table){
		.name = "hooks",
		.what = "functions",
		.title = "functions whose hooks cost more than their own work",
		.columns = dear_columns,
		.nr_columns = sizeof(dear_columns) / sizeof(*dear_columns),
		.text_columns = "hooks_ns,hooks_per_call_ns,self_ns,self_per_call_ns,calls,function",
		.text_sort = "hooks_ns",
		.data_sort = "hooks_ns",
		.text_top = DEAR_ROWS,
		.aside = true,
		.row_bytes = sizeof(*list),
		.next = table_next_row,
		.source = rows,
		.formats = (rows->nr_rows ? IN_TEXT : 0) | IN_JSON,
	};
	document_add_table(document, table)->apart = true;
}

int view_quality(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct findings findings;

	findings_collect(&findings, document, report->model);
	rows->rows = document_new(document, (findings.nr + 1) * sizeof(*findings.list));
	rows->nr_rows = findings.nr;
	if (findings.nr)
		memcpy((void *)rows->rows, findings.list, findings.nr * sizeof(*findings.list));
	findings_release(&findings);
	*table = (struct table){
		.name = "quality",
		.what = "findings",
		.title = report->title,
		.note = report->model->is_raw || !(report->model->hooks_ns > 0) ?
			"times include the hooks' own cost" : NULL,
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.text_columns = "finding,text",
		.row_bytes = sizeof(struct finding),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	document_add_table(document, table);
	add_dear(document, report);
	summary_flags(document, report);
	return 0;
}
