/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pikos's monitors: insideme-run functions|function_memory|lines|line_memory ... -- PROGRAM. Each of them
 * sets how the program is recorded, and lets insideme-report write a row for each entry and exit of a call
 * while the program runs, or for each line when it has ended.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "preload/common/base/settings.h"

struct rows_preset {
	const char *name;
	const char *help;
	const char *columns;		/* columns of insideme-report */
	/* for settings that the user does not give; ends with no value */
	struct { enum setting_id id; const char *value; } settings[4];
	const char *view;		/* of insideme-report, that ended runs alone have; NULL: of calls */
};
extern const struct rows_preset rows_presets[];	/* ends with no name */

const struct rows_preset *rows_find_preset(const char *name);

/* The options of a monitor. */
struct rows_options {
	const struct rows_preset *preset;	/* NULL: no rows */
	/* see INSIDEME_RECORDING; NULL: screen, or text if there is an output file */
	const char *recording;
	const char *output;		/* NULL: the default of the recording */
	const char *filter;		/* NULL: none */
	const char *delimiter, *dialect;	/* NULL: insideme-report's */
	bool at_end;			/* write when the program has ended */
};

/* Is it the name of a recording? */
bool rows_is_recording(const char *name);
/* NULL: no */
bool rows_is_stream(const char *name);
bool rows_are_csv(const char *name);

/* Before the program starts. Return: 0, or an exit status after a line on stderr: do not run the program */
int rows_check(const struct rows_options *options, const sigset_t *mask);

/*
 * One insideme-run writes the rows of a run. Another one prints that; if there are several, the first @rank
 * (-1: none).
 */
void rows_say_none(const struct rows_options *options, int32_t rank);

/*
 * Begin with the rows of the run, which has a log. Return: pid of the process that writes them; 0: none, they
 * are written at the end
 */
pid_t rows_start(const struct rows_options *options, const char *run_path, const sigset_t *mask);

/* The run's log is complete. @pid: as from rows_start(); 0: that process has ended. */
void rows_finish(const struct rows_options *options, pid_t pid, const char *run_path, const sigset_t *mask);
