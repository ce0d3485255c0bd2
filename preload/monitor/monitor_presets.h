/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pikos's monitors: insideme-run functions|function_memory ... -- PROGRAM. Each sets how the program is recorded, and has
 * insideme-report write a row for each entry and exit of a call while it runs.
 */
#ifndef INSIDEME_MONITOR_PRESETS_H
#define INSIDEME_MONITOR_PRESETS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "preload/common/base/settings.h"

struct rows_preset {
	const char *name;
	const char *help;
	const char *columns;		/* of insideme-report */
	struct { enum setting_id id; const char *value; } settings[4];	/* where the user says nothing; ends with no value */
};
extern const struct rows_preset rows_presets[];	/* ends with no name */

const struct rows_preset *rows_find_preset(const char *name);

/* What was asked for. */
struct rows_options {
	const struct rows_preset *preset;	/* NULL: no rows */
	const char *recording;		/* screen, text or csv; NULL: the first, or with a file the second */
	const char *output;		/* NULL: the recording's own */
	const char *filter;		/* NULL: none */
	bool at_end;			/* written when the program has ended */
};

/* Is it a recording? */
bool rows_is_recording(const char *name);

/* Before the program starts. Return: 0, or an exit status after a line on stderr: the program is not to be run. */
int rows_check(const struct rows_options *options, const sigset_t *mask);

/* Rows of a run are written by one insideme-run: another says so, of @rank (-1: none) the first. */
void rows_say_none(const struct rows_options *options, int32_t rank);

/* Begin with rows of the run, which has a log. Return: pid of who writes them; 0: nobody, at the end they will be. */
pid_t rows_start(const struct rows_options *options, const char *run_path, const sigset_t *mask);

/* The run's log has its end. @pid: as rows_start() gave it, 0 where that has ended. */
void rows_finish(const struct rows_options *options, pid_t pid, const char *run_path, const sigset_t *mask);

#endif
