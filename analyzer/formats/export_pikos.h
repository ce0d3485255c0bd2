/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What pikos's recorders write of each entry and exit of a call: csv, or text in columns of fixed width, with its names of
 * columns, and with pid and tid. Line by line, so that it may go on with a run that goes on.
 */
#ifndef INSIDEME_EXPORT_PIKOS_H
#define INSIDEME_EXPORT_PIKOS_H

#include "analyzer/ask/table_select.h"
#include "analyzer/calls/call_events.h"
#include "analyzer/cells/view_context.h"
#include "analyzer/tables/table_text.h"

struct pikos {
	const struct report *report;	/* its options; not its model */
	FILE *out;
	bool is_text;
	struct table table;
	struct rows rows;
	struct call_events *events;
	struct row_text line;
};

/* Are the options' columns and filter understood, and can their file be written? Return: exit status after an error() */
int pikos_check(const struct report *report);

/* Open the file and write the head; the options were checked. Return: exit status */
int pikos_open(struct pikos *pikos, const struct report *report, bool is_text);
/* The rows of a reading, see call_events_begin(). */
void pikos_write(struct pikos *pikos, struct model *model, bool is_last);
/* Return: exit status, after an error() when not all could be written. */
int pikos_close(struct pikos *pikos);

#endif
