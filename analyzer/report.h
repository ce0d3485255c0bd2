/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a view is made of: the runs that were asked for as one model, and the options. */
#ifndef INSIDEME_REPORT_H
#define INSIDEME_REPORT_H

#include "model.h"
#include "options.h"
#include "run.h"

struct report {
	struct model *model;
	const struct run *runs;		/* at least one */
	size_t nr_runs;
	const struct options *options;
};

/* The name of the program that the report is about. */
const char *report_program(const struct report *report);
/* Did any process count its heap, or time its calls? Columns of what was not recorded stay out. */
bool report_has_heap(const struct report *report);
bool report_has_times(const struct report *report);

#endif
