/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array of views, and what they have in common. */
#include "views.h"

#include <string.h>

const struct view views[] = {
	{ "summary",   "the first page: how it went, where time and memory went, what is in doubt", view_summary },
	{ "functions", "each function: calls, self and total time, percentiles, allocations", view_functions },
	{ "tree",      "the same by call path, callers above what they call", view_tree },
	{ "calls",     "single calls that lasted at least the threshold, with the memory around them", view_calls },
	{ "resources", "CPU, memory, faults, I/O: figures, and in csv and json rows over time", view_resources },
	{ "quality",   "how far to trust the report: what was lost, repaired, or cannot be named", view_quality },
	{ NULL, NULL, NULL },
};

const struct view *view_find(const char *name)
{
	for (const struct view *view = views; view->name; view++)
		if (strcmp(view->name, name) == 0)
			return view;
	return NULL;
}

const char *report_program(const struct report *report)
{
	const struct model *model = report->model;

	if (model->nr_processes && model->processes[0]->header.program[0])
		return model->processes[0]->header.program;
	return report->runs[0].name;
}

bool report_has_heap(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i]->header.heap_bytes != LOG_HEAP_OFF)
			return true;
	return false;
}

bool report_has_times(const struct report *report)
{
	for (size_t i = 0; i < report->model->nr_processes; i++)
		if (report->model->processes[i]->header.timing != LOG_TIMING_COUNTS)
			return true;
	return false;
}
