/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of views. */
#include "analyzer/summary/summary.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

const struct view views[] = {
	{ "summary", "the first page: how the run went, where time and memory went, what is in doubt",
	  view_summary, false, NULL },
	{ "functions", "each function: calls, self and total time, percentiles, allocations", view_functions,
	  false, view_functions_diff },
	{ "tree", "the same by call path, callers above what they call", view_tree, false, view_tree_diff },
	{ "callers", "who calls each function, and how long it takes when called from there", view_callers,
	  false, NULL },
	{ "callees", "what each function calls, and how long that takes", view_callees, false, NULL },
	{ "lines", "each source line: time in it and in what it calls, by samples, beside its text",
	  view_lines, false, NULL },
	{ "calls", "single calls that lasted at least the threshold, with the memory around them", view_calls,
	  true, NULL },
	{ "events", "entries and exits of single calls, all threads, in the order of time; also as -f pikos",
	  view_events, true, NULL },
	{ "steps", "each line that ran, all threads, in the order of time (insideme-cc --line-events)",
	  view_steps, true, NULL },
	{ "fields", "time and memory by purpose of functions: --fields, INSIDEME_FIELDS, or else @name",
	  view_fields, false, NULL },
	{ "heap", "who allocated what lived at the peak, and what was not freed", view_heap, false, NULL },
	{ "waits", "what was waited for: which lock and who held it, which file, how long, by which call",
	  view_waits, false, NULL },
	{ "errors", "how each process ended, worst first, and which calls were open then", view_errors, false,
	  NULL },
	{ "processes", "the tree of processes: time, CPU, memory, how each ended, which were not recorded",
	  view_processes, false, NULL },
	{ "threads", "each thread: begin, end, calls, time in functions, allocations", view_threads, false,
	  NULL },
	{ "stacks", "what each thread did at its last sample: state, functions, lines (--pid, --stacks)",
	  view_stacks, false, NULL },
	{ "resources", "CPU, memory, faults, I/O: figures; in csv and json also samples over time",
	  view_resources, true, NULL },
	{ "machine", "what each machine has, and what was left of it: processors, memory, swap, GPUs, disk",
	  view_machine, false, NULL },
	{ "timers", "the program's own timers and regions (insideme.h), by name, without pauses", view_timers,
	  false, NULL },
	{ "marks", "the program's own marks and failures, and each run of a timer, in the order of time",
	  view_marks, true, NULL },
	{ "mpi", "MPI calls by function and caller: calls, bytes, time, and how the ranks differ in it",
	  view_mpi, false, NULL },
	{ "messages", "which rank sent how much to which, by MPI function and communicator", view_messages,
	  false, NULL },
	{ "balance", "how evenly functions, fields and memory are spread over ranks or threads",
	  view_balance, false, NULL },
	{ "late", "which rank waited for which in MPI calls: late senders and receivers, who came last",
	  view_late, false, NULL },
	{ "blocked", "which rank each open MPI call waits for: of a run that hangs, or was killed",
	  view_blocked, false, NULL },
	{ "clocks", "how far the clocks of hosts are apart, with bounds, by the program's own MPI messages",
	  view_clocks, false, NULL },
	{ "quality", "how far to trust the report: what was lost, repaired, or has no name", view_quality,
	  false, NULL },
	{ NULL, NULL, NULL, false, NULL },
};

const struct view *view_find(const char *name)
{
	for (const struct view *view = views; view->name; view++)
		if (strcmp(view->name, name) == 0)
			return view;
	return NULL;
}

static bool has_times(const struct view *view)
{
	return view->has_times;
}

static bool has_diff(const struct view *view)
{
	return view->compare;
}

/* The names of views for which @can is true; the caller frees the text. */
static char *list_those(bool (*can)(const struct view *view))
{
	char *list = xstrdup(""), *longer;

	for (const struct view *view = views; view->name; view++) {
		if (!can(view))
			continue;
		longer = xasprintf("%s%s%s", list, list[0] ? ", " : "", view->name);
		free(list);
		list = longer;
	}
	return list;
}

int view_has_totals_only(const struct view *view)
{
	char *list = list_those(has_times);

	error("--from, --to: %s has totals of the whole run only; views that can be limited: %s", view->name,
	      list);
	free(list);
	return EXIT_USAGE;
}

int view_has_no_diff(void)
{
	char *list = list_those(has_diff);

	error("--diff: only with -v %s as text, csv, json or markdown, or with -f html, dot or folded", list);
	free(list);
	return EXIT_USAGE;
}
