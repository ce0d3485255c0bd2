/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which run to report, and which logs it has. */
#ifndef INSIDEME_ANALYZER_RUN_H
#define INSIDEME_ANALYZER_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run: a directory of logs; or a single log or saved profile named by the user. */
struct run {
	char *path;			/* as it can be opened from here: "insideme.data/20261120-101403-indexd" */
	char *name;			/* last component */
	char **logs;			/* paths, sorted by name */
	size_t nr_logs;
	bool is_profile;		/* a file that --save wrote: no logs */
	uint64_t start_realtime_ns;	/* 0: not known */
	size_t nr_runs;			/* runs in its directory of runs, this one included; 0: not looked */
	size_t newer;			/* of them newer than this one: 0 for the newest */
};

/*
 * Find the run that @argument names: a run's directory, a .log file, a run's name, a program's name (newest
 * run of it), "last", "last~N"; NULL: the newest. Names are looked up in INSIDEME_DIR, else ./insideme.data.
 * Return: 0, or -1 after an error().
 */
int run_choose(struct run *run, const char *argument);
void run_release(struct run *run);

/*
 * All runs in INSIDEME_DIR or ./insideme.data, newest first, as an array to be released one by one and freed.
 * Return: their number, 0 when there are none (nothing is printed).
 */
size_t run_list(struct run **runs);

/* The same of the runs in @path. */
size_t run_list_in(const char *path, struct run **runs);

/* The first @bytes of a file. Return: whether it has so many. */
bool run_read_head(const char *path, void *head, size_t bytes);

/* Path of the file @name in the run, freed by the caller; NULL: the run is not ours to write to, or one log only. */
char *run_own_file(const struct run *run, const char *name);

/* An error() that says where there are none, and how to make one. Return: -1 */
int run_none(const char *directory);

/* The directory that names are looked up in. */
const char *run_directory(void);

#endif
