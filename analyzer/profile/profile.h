/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Saved profiles (--save): functions, call tree and facts of one or more runs in one JSON file, which can be read as a
 * run again. doc/profile-format.md describes it. Single calls, marks, resources over time and events are not in it.
 */
#ifndef INSIDEME_PROFILE_H
#define INSIDEME_PROFILE_H

#include <stdbool.h>

#include "analyzer/model/model.h"

struct profile;

/* Of the logs that it was made of, together. */
struct profile_totals {
	uint64_t log_bytes;		/* 0: not told */
	uint64_t damaged_records, unreadable_logs;
	uint64_t openmp_threads;	/* records of threads of gcc's OpenMP */
	uint64_t untold_losses;		/* profiles of version 1 among them: what their runs lost is not known */
	uint64_t losses[LOG_LOSSES_MAX];	/* of no process */
};

/* Write what the model has to @path. After resolve_names(). Return: 0, or -1 after an error(). */
int profile_write(struct model *model, const char *path);

/* Read and check a file. Return: NULL after an error() */
struct profile *profile_open(const char *path);
void profile_close(struct profile *profile);
/* How many runs it was made of, and their names. */
size_t profile_nr_runs(const struct profile *profile);
const char *profile_run_name(const struct profile *profile, size_t run);
const struct profile_totals *profile_totals(const struct profile *profile);

/*
 * The steps of model_load_runs(): its processes, of runs from @run on; how they ended; its names and functions.
 * Return: 0, or -1 after an error()
 */
int profile_add_processes(struct profile *profile, struct model *model, uint32_t run);
void profile_set_ends(struct profile *profile);
void profile_add_functions(struct profile *profile, struct model *model);
/* Its functions, for versions_match(); @nr of them. */
struct function **profile_functions(const struct profile *profile, size_t *nr);
/*
 * Its call paths, and, where it has several runs, what each has of a function. Once: they are read from the file, and
 * nothing keeps them. Return: 0, or -1 after an error()
 */
int profile_add_tree(struct profile *profile, struct model *model);
/* After the tree of a profile of several runs was taken by parts_take(): what the runs have of its paths. */
void profile_add_ranges(const struct profile *profile, struct model *model);

#endif
