/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-report's command line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/model/process_filter.h"
#include "analyzer/model/time_range.h"

enum options_task {
	TASK_REPORT,
	TASK_HELP,
	TASK_VERSION,
	TASK_LIST_VIEWS,	/* -v without a view */
	TASK_LIST_FORMATS,
	TASK_LIST_RUNS,
	TASK_CLEAN,
	TASK_REMOVE,
	TASK_SAVE_NAMES,
	TASK_SERVE,
	TASK_FOLLOW,
};

struct options {
	enum options_task task;
	const char *view;
	const char *format;
	const char *output;	/* NULL: standard output */
	size_t max_bytes;	/* --max-size; options_most_bytes() */
	uint16_t port;		/* --serve; 0: any that is free */
	enum { LOGS_STAY, LOGS_COPY, LOGS_MOVE } logs;	/* into the folder */
	const char *time_unit;		/* of all times; NULL: each in its own */
	const char *mem_unit;
	bool no_source;		/* no text of source files in the page */
	bool no_pager;
	FILE *screen;		/* the terminal that text in memory ends on; NULL: it is printed at once */
	const char *sort;	/* a column's name; NULL: as the table has it */
	const char *columns;	/* names separated by commas; NULL: as the table has it */
	const char *colormap;	/* -f dot: a name; NULL: gprof2dot's first */
	const char *match;	/* pattern over names; NULL: all */
	const char **restrictions;	/* applied one after the other; then NULL; NULL: none */
	size_t nr_restrictions;
	const char *row_filter;	/* see table_filter.h; NULL: all */
	struct filter filter;	/* of processes; released by main() */
	struct window window;	/* of time */
	double min_percent;	/* 0: not given */
	size_t top;
	bool top_given;		/* else the format decides; top 0: all */
	bool reverse;
	bool skip_zero, summarize;	/* -v lines: lines of which something is known; functions alone */
	const char *suppressions;	/* a file; NULL: none */
	char **diff;		/* runs to compare with, then NULL; NULL: none */
	size_t nr_diff;
	const char *gate;	/* rules, @FILE or "default": gate_rules.h; NULL: none */
	bool strict;		/* --gate: a rule that the runs cannot decide fails */
	const char *csv;	/* the option that says how csv is written; NULL: as ever */
	const char *fields;	/* rules, or @FILE; NULL: none */
	const char *save;	/* write a profile there; NULL: show a view */
	size_t keep;		/* --clean: runs that stay */
	bool dry_run;
	bool only_check;	/* --follow: look at the options alone */
	char **runs;		/* NULL-terminated: points into argv */
};

#define BYTES_NOT_GIVEN	SIZE_MAX

/* --max-size, or @otherwise if it is not given. 0, which means all, becomes more than any file has. */
size_t options_most_bytes(const struct options *options, size_t otherwise);

/* -o names a folder: it ends with a slash, or is one. */
bool options_want_folder(const struct options *options);

/* Return: 0, or EXIT_USAGE after a line on stderr that names the option */
int options_parse(struct options *options, int argc, char **argv);

/* --help */
void options_print_help(void);
