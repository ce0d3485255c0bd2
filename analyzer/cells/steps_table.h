/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of line events: of the view steps, and of what pikos's users know as records of lines. */
#pragma once

#include "analyzer/cells/view_context.h"
#include "analyzer/calls/line_steps.h"
#include "analyzer/tables/table.h"

/* The caller sets the title and the source of rows. Column titles are pikos's. */
extern const struct table steps_table;

/* The table's source for step_rows_next(). @steps: NULL at first. */
struct step_rows {
	const struct report *report;
	struct line_steps *steps;
};

/*
 * The next step of the report's time window. At the end prints a line on stderr if there is none at all, or
 * if lines of some are not known.
 */
bool step_rows_next(struct table *table, void *row);
