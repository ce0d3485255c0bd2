/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of formats. */
#include "analyzer/formats/formats.h"

#include <string.h>

#include "analyzer/formats/export.h"

const struct format formats[] = {
	{ "text", "for people: units, shortened names, the largest first", IN_TEXT, format_text, NULL },
	{ "csv", "RFC 4180: exact numbers, units in the column names, all rows", IN_CSV, format_csv, NULL },
	{ "json", "an object with an array of objects for each table", IN_JSON, format_json, NULL },
	{ "html", "one page of all views, with the calls over time; written to insideme.html", 0, NULL,
	  page_write },
	{ "mprof",
	  "memory_profiler's file, for mprof plot and mprof peak: memory over time, the longest calls", 0,
	  NULL, export_mprof },
	{ "resource-monitor", "resource monitor's log, 15 columns over time; with -v calls its event log", 0,
	  NULL, export_resource_monitor },
	{ "multiprocess-profiler",
	  "multiprocess_profiler's csv: each recorded call or region, and what broke it", 0, NULL,
	  export_multiprocess },
	{ "pikos",
	  "pikos's csv: index, type, function, RSS, VMS, lineNo, filename of each entry and exit, with pid "
	  "and tid",
	  0, NULL, export_pikos },
	{ "pikos-text", "the same, as its text recorder writes it", 0, NULL, export_pikos_text },
	{ "svg", "a picture of the resources over time, with the longest calls; also png, pdf", 0, NULL,
	  export_svg },
	{ "png", "the same", 0, NULL, export_png },
	{ "pdf", "the same", 0, NULL, export_pdf },
	{ NULL, NULL, 0, NULL, NULL },
};

const struct format *format_find(const char *name)
{
	for (const struct format *format = formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}

bool format_has_rows(const struct format *format)
{
	return format->print || format->write == export_pikos || format->write == export_pikos_text;
}
