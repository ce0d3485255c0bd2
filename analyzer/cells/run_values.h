/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of single runs, for comparing several runs with several others. */
#pragma once

#include "analyzer/cells/view_context.h"

struct figure {
	const char *name;		/* "alloc_calls"; ends with its unit */
	enum unit unit;
	bool varies; /* from run to run of the same program: a time, or what pages are resident */
	/* By the run, or as the sum over its processes; both NULL: of functions alone; NAN: not known */
	double (*of_run)(const struct report *report, uint32_t run);
	double (*of_process)(const struct process *process);
	enum function_figure {
		OF_NO_FUNCTION, OF_CALLS, OF_SELF_NS, OF_TOTAL_NS, OF_SELF_CPU_NS,
		OF_ALLOC_CALLS, OF_ALLOC_BYTES, OF_PEAK_BYTES, OF_NOT_FREED_BYTES,
	} of_function;
};

extern const struct figure figures[];	/* ends with a name of NULL */
bool figure_is_of_runs(const struct figure *figure);
const struct figure *figure_find(const char *name, size_t length);

/*
 * [report->model->nr_runs] of @figure: of whole runs, or the sum over functions that match @pattern (NULL:
 * whole runs). To be freed; NAN: not known.
 */
double *figure_values(const struct figure *figure, const char *pattern, const struct report *report);
