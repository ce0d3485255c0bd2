/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each line that ran, a row each, in the order of time. Memory does not grow with their number. */
#include "analyzer/cells/steps_table.h"
#include "analyzer/views/views.h"

int view_steps(struct document *document, struct report *report)
{
	struct table table = steps_table;

	struct step_rows *rows = document_new(document, sizeof(*rows));

	rows->report = report;
	table.title = report->title;
	table.next = step_rows_next;
	table.source = rows;
	report_tell_runs(report, document, document_add_table(document, &table));
	report_name_runs(report, document);
	return 0;
}
