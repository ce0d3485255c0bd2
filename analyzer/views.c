/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The array of views. */
#include "views.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

const struct view views[] = {
	{ "summary",   "the first page: how it went, where time and memory went, what is in doubt", view_summary, false },
	{ "functions", "each function: calls, self and total time, percentiles, allocations", view_functions, false },
	{ "tree",      "the same by call path, callers above what they call", view_tree, false },
	{ "callers",   "who calls each function, and what it takes when called so", view_callers, false },
	{ "callees",   "what each function calls, and what that takes", view_callees, false },
	{ "calls",     "single calls that lasted at least the threshold, with the memory around them", view_calls, true },
	{ "fields",    "time and memory by what functions are for: --fields, INSIDEME_FIELDS, else @name", view_fields, false },
	{ "heap",      "who allocated what lived at the peak, what was not freed", view_heap, false },
	{ "errors",    "how each process ended, the worst first, and which calls were open then", view_errors, false },
	{ "processes", "the tree of processes: time, CPU, memory, how each ended, which were not recorded", view_processes, false },
	{ "threads",   "each thread: begin, end, calls, time in functions, allocations", view_threads, false },
	{ "resources", "CPU, memory, faults, I/O: figures, and in csv and json rows over time", view_resources, true },
	{ "timers",    "the program's own timers (insideme.h), by name, without their pauses", view_timers, false },
	{ "marks",     "its marks and failures, and each time that a timer ran, in the order of time", view_marks, false },
	{ "quality",   "how far to trust the report: what was lost, repaired, or cannot be named", view_quality, false },
	{ NULL, NULL, NULL, false },
};

const struct view *view_find(const char *name)
{
	for (const struct view *view = views; view->name; view++)
		if (strcmp(view->name, name) == 0)
			return view;
	return NULL;
}

int view_has_totals_only(const struct view *view)
{
	char *list = xstrdup(""), *longer;

	for (const struct view *other = views; other->name; other++) {
		if (!other->has_times)
			continue;
		longer = xasprintf("%s%s%s", list, list[0] ? ", " : "", other->name);
		free(list);
		list = longer;
	}
	error("--from, --to: %s has totals of the whole run only; views that can: %s", view->name, list);
	free(list);
	return EXIT_USAGE;
}
