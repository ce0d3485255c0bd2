/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of formats. */
#include "analyzer/app/formats.h"

#include <string.h>

#include "analyzer/app/export_sqlite.h"
#include "analyzer/formats/export.h"
#include "analyzer/formats/export_pikos.h"
#include "analyzer/formats/picture.h"
#include "analyzer/page/page.h"

const struct format formats[] = {
	{ "text", "for people: units, shortened names, the largest first", .bit = IN_TEXT,
	  .print = format_text },
	{ "csv", "RFC 4180: exact numbers, units in the column names, all rows", .bit = IN_CSV,
	  .print = format_csv },
	{ "json", "an object with an array of objects for each table", .bit = IN_JSON, .print = format_json },
	{ "markdown", "GitHub's tables, with the columns and units of text", .bit = IN_TEXT,
	  .print = format_markdown },
	{ "junit", "JUnit's xml of --gate, a rule a test case", .bit = IN_JUNIT, .print = format_junit },
	{ "html", "one page of all views, with the calls over time; written to insideme.html",
	  .write = page_write, .has_diff = true },
	{ "chrome", "single calls over time as JSON, for Perfetto, chrome://tracing and speedscope",
	  .write = export_chrome, .needs_logs = true, .has_times = true, .has_calls = true },
	{ "perfetto", "the same as Perfetto's own trace, a third as large", .write = export_perfetto,
	  .needs_logs = true, .has_times = true, .has_calls = true, .is_binary = true },
	{ "speedscope", "speedscope's file: single calls over time, and sums by call path: time, calls, "
	  "memory",
	  .write = export_speedscope, .has_times = true, .has_calls = true },
	{ "pprof", "pprof's profile: calls, time and memory by call path", .write = export_pprof,
	  .is_binary = true },
	{ "callgrind", "Callgrind's profile, for kcachegrind and callgrind_annotate",
	  .write = export_callgrind },
	{ "pstats", "what python's cProfile saves, for pstats, snakeviz and gprof2dot",
	  .write = export_pstats,
	  .is_binary = true },
	{ "dot", "the call graph for graphviz, as gprof2dot draws it: | dot -Tsvg, or -o graph.pdf",
	  .write = export_dot, .has_diff = true },
	{ "sqlite", "a database with the tables of all views", .write = export_sqlite },
	{ "folded", "a call path a line with --columns COLUMN of it, for flamegraph.pl, CPU time with "
	  "[kernel] as a leaf; --diff: before and after",
	  .write = export_folded, .has_diff = true },
	{ "openmetrics", "figures of runs as GitLab shows them beside a merge request, and what is in doubt",
	  .write = export_openmetrics },
	{ "insideme-log", "the log line of InsideMe for python, for each recorded call, in the order of "
	  "exits",
	  .write = export_insideme, .needs_logs = true, .has_times = true },
	{ "mprof",
	  "memory_profiler's file, for mprof plot and mprof peak: memory over time, the longest calls",
	  .write = export_mprof, .needs_logs = true },
	{ "resource-monitor", "resource monitor's log, 15 columns over time; with -v calls its event log",
	  .write = export_resource_monitor, .needs_logs = true },
	{ "resource-monitor-json", "what its parsers make of these logs: an overview and columns; with -v "
	  "calls: by name",
	  .write = export_resource_monitor, .needs_logs = true },
	{ "multiprocess-profiler",
	  "multiprocess_profiler's csv: each recorded call or region, and what broke it",
	  .write = export_multiprocess, .needs_logs = true },
	{ "pikos",
	  "pikos's csv: index, type, function, RSS, VMS, lineNo, filename of each entry and exit, with pid "
	  "and tid",
	  .write = export_pikos, .needs_logs = true, .has_calls = true },
	{ "pikos-text", "the same, as its text recorder writes it", .write = export_pikos,
	  .needs_logs = true, .has_calls = true },
	{ "pikos-count", "the number of these records, as its record counter has it", .write = export_pikos,
	  .needs_logs = true, .has_calls = true },
	{ "svg", "a picture of the resources over time, with the longest calls; also png, pdf",
	  .write = export_svg, .needs_logs = true },
	{ "png", "the same", .write = export_png, .needs_logs = true, .is_binary = true },
	{ "pdf", "the same", .write = export_pdf, .needs_logs = true, .is_binary = true },
	{ NULL, NULL, .bit = 0 },
};

const struct format *format_find(const char *name)
{
	for (const struct format *format = formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}
