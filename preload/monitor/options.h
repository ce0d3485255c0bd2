/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * insideme-run's command line: an option for each setting, from the table of settings, and some of its own.
 */
#pragma once

#include <stdbool.h>

#include "preload/common/base/settings.h"
#include "preload/monitor/monitor_rows.h"

enum run_action {
	ACTION_RUN,
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_LIBRARY,
	ACTION_CHECK,
	ACTION_ATTACH,
	ACTION_FOCUS
};

struct options {
	enum run_action action;
	bool with_mpi;				/* --library=mpi */
	bool quiet;
	bool no_tree;				/* no subreaper: orphans keep init as their parent */
	const char *settings[NR_SETTINGS];	/* as given; NULL: not given */
	const char *pids;			/* --pid: numbers, separated by commas; NULL: none */
	bool children;				/* --children: of these processes too */
	bool machine;				/* --machine */
	bool stacks;				/* --stacks: of what all threads do now, and stop */
	const char *format;			/* -f, of that; NULL: text */
	const char *sort;			/* -s: print functions at the end, sorted; NULL: do not */
	uint64_t timeout_ns;			/* 0: none */
	uint64_t nr_runs;			/* --runs; 0: one, as always */
	const char *beside;			/* --beside: a program; NULL: none */
	struct rows_options rows;
	const char *needs_preset;		/* an option for rows that was given; NULL: none */
	char **command;				/* the program and its arguments, NULL-terminated */
};

/* Return: 0, or 2 after one line on stderr */
int options_parse(struct options *options, int argc, char **argv);

void options_print_help(void);
