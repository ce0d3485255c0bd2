/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far to trust the report. */
#include "views.h"

#include <string.h>

#include "findings.h"

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

int view_quality(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct findings findings;

	findings_collect(&findings, document, report->model);
	rows->rows = document_new(document, (findings.nr + 1) * sizeof(*findings.list));
	rows->nr_rows = findings.nr;
	memcpy((void *)rows->rows, findings.list, findings.nr * sizeof(*findings.list));
	findings_release(&findings);
	*table = (struct table){
		.name = "quality",
		.what = "findings",
		.title = report->title,
		.note = report->model->is_raw || !(report->model->hooks_ns > 0) ?
			"what the hooks themselves cost is in the times" : NULL,
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.text_columns = "finding,text",
		.row_bytes = sizeof(struct finding),
		.next = table_next_row,
		.source = rows,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
	};
	document_add_table(document, table);
	return 0;
}
