/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pikos's records of each entry and exit of a call, or with -v steps of each line: csv, or text in columns
 * of fixed width, with pikos's names of columns, and pid and tid. Rows are written one by one, so they can
 * follow a run that goes on.
 */
#pragma once

#include "analyzer/ask/table_select.h"
#include "analyzer/base/whole_file.h"
#include "analyzer/calls/call_events.h"
#include "analyzer/cells/steps_table.h"
#include "analyzer/tables/table_text.h"

/* Csv, text in columns of fixed width, or the number of records alone. */
enum pikos_kind { PIKOS_NONE, PIKOS_CSV, PIKOS_TEXT, PIKOS_COUNT };
enum pikos_kind pikos_kind(const char *format);

struct pikos {
	const struct report *report;	/* for its options, not its model */
	struct whole_file file;
	FILE *out;			/* its */
	enum pikos_kind kind;
	uint64_t nr_rows;
	struct table table;
	struct rows rows;
	struct call_events *events;
	struct step_rows steps;
	struct row_text line;
};

/*
 * Check the columns and the filter of the options, and that their file can be written. Return: exit status,
 * after an error()
 */
int pikos_check(const struct report *report);

/* Open the file and write the heading. pikos_check() must have succeeded. Return: exit status */
int pikos_open(struct pikos *pikos, const struct report *report);
/* Write the rows of one reading of the run, see call_events_begin(). */
void pikos_write(struct pikos *pikos, struct model *model, bool is_last);
/* Return: exit status, after an error() if not everything could be written */
int pikos_close(struct pikos *pikos);

/* All records: as csv, as text, or their number. Return: exit status, after an error() */
int export_pikos(struct report *report);
