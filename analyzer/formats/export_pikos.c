/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pikos's records of a run as it is now. */
#include "analyzer/formats/export.h"

#include <stdlib.h>

#include "analyzer/cells/events_table.h"
#include "analyzer/formats/pikos_rows.h"

static int export_records(struct report *report, bool is_text)
{
	struct pikos pikos;
	int status = pikos_check(report);

	if (status == 0)
		status = pikos_open(&pikos, report, is_text);
	if (status)
		return status;
	pikos_write(&pikos, report->model, true);
	events_tell_share(report->model, true);
	return pikos_close(&pikos);
}

int export_pikos(struct report *report)
{
	return export_records(report, false);
}

int export_pikos_text(struct report *report)
{
	return export_records(report, true);
}
