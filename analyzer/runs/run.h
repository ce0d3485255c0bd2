/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which run to report, and which logs it has. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run is a directory of logs; or a single log or saved profile that the user named. */
struct run {
	char *path;			/* can be opened from here: "insideme.data/20261120-101403-indexd" */
	char *name;			/* the last component of path */
	char **logs;			/* paths, sorted by name */
	size_t nr_logs;
	bool is_profile;		/* a file written by --save; it has no logs */
	uint64_t start_realtime_ns;	/* 0: not known */
	size_t nr_runs;			/* runs in the same directory, including this one; 0: not counted */
	size_t newer;			/* how many of them are newer; 0: this is the newest */
};

/*
 * Find the run that @argument names: the directory of a run, a .log file, the name of a run, the name of a
 * program (its newest run), "last", "last~N"; NULL: the newest run. Names are looked up in $INSIDEME_DIR,
 * or ./insideme.data.
 * Return: 0, or -1 after an error().
 */
int run_choose(struct run *run, const char *argument);
void run_release(struct run *run);

/*
 * List all runs in $INSIDEME_DIR or ./insideme.data, newest first. Release each one, and free the array.
 * Return: their number; 0 if there are none (prints nothing).
 */
size_t run_list(struct run **runs);

/* The same, for the runs in @path. */
size_t run_list_in(const char *path, struct run **runs);

/* Read the first @bytes of a file. Return: whether it has that many */
bool run_read_head(const char *path, void *head, size_t bytes);

/* May only this user write to the folder @path? */
bool run_is_ours(const char *path);

/*
 * The path of the file @name in the run; the caller frees it. NULL: the run is a single log, or not ours to
 * write to.
 */
char *run_own_file(const struct run *run, const char *name);

/* Print an error() that says where there are no runs, and how to record one. Return: -1 */
int run_none(const char *directory);

/* The directory in which names are looked up. */
const char *run_directory(void);
