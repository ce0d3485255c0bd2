/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Presets for pikos's monitors and recorders. */
#include "preload/monitor/monitor_rows.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "preload/common/base/compiler.h"
#include "preload/monitor/tools/installed.h"

#define BUDGET "4G"

const struct rows_preset rows_presets[] = {
	{ "functions",
	  "a row for each entry and exit of a call",
	  "index,type,function,line,file,pid,thread",
	  { { SETTING_THRESHOLD, "0" }, { SETTING_BUDGET, BUDGET } },
	  .view = NULL },
	{ "function_memory",
	  "the same, with RSS and VMS as they are then",
	  "index,type,function,rss_bytes,vms_bytes,line,file,pid,thread",
	  { { SETTING_THRESHOLD, "0" },
	    { SETTING_BUDGET, BUDGET },
	    { SETTING_SNAPSHOT, "heap,rss:every" } },
	  .view = NULL },
	{ "lines",
	  "a row for each line that begins (insideme-cc --line-events), at the end",
	  "index,function,line,text,file,pid,thread",
	  { { SETTING_LINE_EVENTS, "on" }, { SETTING_BUDGET, BUDGET } },
	  .view = "steps" },
	{ "line_memory",
	  "the same, with RSS and VMS as they are then",
	  "index,function,line,rss_bytes,vms_bytes,text,file,pid,thread",
	  { { SETTING_LINE_EVENTS, "on" },
	    { SETTING_BUDGET, BUDGET },
	    { SETTING_SNAPSHOT, "heap,rss:every" } },
	  .view = "steps" },
	{ .name = NULL },
};

/* The recordings, by where rows go. */
static const struct {
	const char *name;
	const char *format;		/* format of insideme-report */
	const char *output;		/* NULL: stderr */
} recordings[] = {
	{ "screen", "pikos-text", NULL },
	{ "text", "pikos-text", "monitor_records.log" },
	{ "csv", "pikos", "monitor_records.csv" },
	{ "count", "pikos-count", NULL },
	{ "stream:", "pikos", NULL },	/* the name that follows is the output */
};

const struct rows_preset *rows_find_preset(const char *name)
{
	for (const struct rows_preset *preset = rows_presets; preset->name; preset++)
		if (!strcmp(preset->name, name))
			return preset;
	return NULL;
}

static size_t find_recording(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(recordings) && strcmp(recordings[i].name, name))
		i++;
	return rows_is_stream(name) ? ARRAY_SIZE(recordings) - 1 : i;
}

bool rows_is_recording(const char *name)
{
	return find_recording(name) < ARRAY_SIZE(recordings);
}

bool rows_is_stream(const char *name)
{
	return name && !strncmp(name, "stream:", strlen("stream:"));
}

bool rows_are_csv(const char *name)
{
	return name && rows_is_recording(name) && !strcmp(recordings[find_recording(name)].format, "pikos");
}

enum how { CHECK, LIVE, AT_END };

/* Start insideme-report with these options. @run_path: NULL: none. */
static pid_t start(const struct rows_options *options, enum how how, const char *run_path,
		   const sigset_t *mask)
{
	size_t recording = find_recording(options->recording ?: options->output ? "text" : "screen");
	const char *output = options->output ?: recordings[recording].output, *arguments[24] = { NULL };
	size_t nr = 0;

	if (rows_is_stream(options->recording))
		output = options->recording;

	arguments[nr++] = "-f";
	arguments[nr++] = recordings[recording].format;
	if (options->preset->view) {
		arguments[nr++] = "-v";
		arguments[nr++] = options->preset->view;
	}
	arguments[nr++] = "--columns";
	arguments[nr++] = options->preset->columns;
	if (how != AT_END)
		arguments[nr++] = "--follow";
	if (how == CHECK)
		arguments[nr++] = "--check";
	if (options->filter) {
		arguments[nr++] = "--filter";
		arguments[nr++] = options->filter;
	}
	if (options->delimiter) {
		arguments[nr++] = "--delimiter";
		arguments[nr++] = options->delimiter;
	}
	if (options->dialect) {
		arguments[nr++] = "--dialect";
		arguments[nr++] = options->dialect;
	}
	if (output) {
		arguments[nr++] = "-o";
		arguments[nr++] = output;
	}
	if (run_path)
		arguments[nr++] = run_path;
	return report_start(arguments, mask, how == LIVE ? REPORT_LIVE : REPORT_SHOWN);
}

int rows_check(const struct rows_options *options, const sigset_t *mask)
{
	return report_wait(start(options, CHECK, NULL, mask));
}

void rows_say_none(const struct rows_options *options, int32_t rank)
{
	const char *name = options->preset ? options->preset->name : NULL;

	if (name && rank < 0)
		fprintf(stderr,
			"insideme: no rows here: give %s to the insideme-run above this one; "
			"afterwards: insideme-report -f pikos\n",
			name);
	else if (name && !rank)
		fprintf(stderr,
			"insideme: no rows for single ranks; for all ranks: insideme-run %s -- mpirun ...; "
			"afterwards: insideme-report -f pikos\n",
			name);
}

/* Are all of them written when the program has ended? */
static bool rows_are_late(const struct rows_options *options)
{
	return options->at_end || options->preset->view;
}

pid_t rows_start(const struct rows_options *options, const char *run_path, const sigset_t *mask)
{
	pid_t pid = rows_are_late(options) ? 0 : start(options, LIVE, run_path, mask);

	return pid > 0 ? pid : 0;
}

void rows_finish(const struct rows_options *options, pid_t pid, const char *run_path, const sigset_t *mask)
{
	if (rows_are_late(options))
		pid = start(options, AT_END, run_path, mask);
	if (pid > 0)
		report_wait(pid);
}
