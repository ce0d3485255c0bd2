/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array of views. */
#include "views.h"

#include <string.h>

const struct view views[] = {
	{ "summary",   "the first page: how it went, where time and memory went, what is in doubt", view_summary },
	{ "functions", "each function: calls, self and total time, percentiles, allocations", view_functions },
	{ "tree",      "the same by call path, callers above what they call", view_tree },
	{ "callers",   "who calls each function, and what it takes when called so", view_callers },
	{ "callees",   "what each function calls, and what that takes", view_callees },
	{ "calls",     "single calls that lasted at least the threshold, with the memory around them", view_calls },
	{ "heap",      "each function: what it allocated and freed", view_heap },
	{ "errors",    "how each process ended, the worst first, and which calls were open then", view_errors },
	{ "processes", "the tree of processes: time, CPU, memory, how each ended, which were not recorded", view_processes },
	{ "threads",   "each thread: begin, end, calls, time in functions, allocations", view_threads },
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
