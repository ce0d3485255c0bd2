/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Saved profiles (--save): functions, call tree and facts of one or more runs in one JSON file, which can be
 * read as a run again. doc/profile-format.md describes it. It does not contain single calls, marks, resources
 * over time, or events.
 */
#pragma once

#include <stdbool.h>

#include "analyzer/model/rank_sums.h"

struct profile;

/* The sums of all the logs that it was made from. */
struct profile_totals {
	uint64_t log_bytes;		/* 0: not recorded */
	uint64_t damaged_records, unreadable_logs;
	uint64_t openmp_threads;	/* records of gcc's OpenMP threads without a recorded region */
	uint64_t untold_losses;		/* profiles of version 1 in it: what their runs lost is not known */
	uint64_t losses[LOG_LOSSES_MAX];	/* in logs that belong to no process */
};

/*
 * Write the model to @path, with the relations between its ranks (NULL: not known). After resolve_names().
 * Return: 0, or -1 after an error()
 */
int profile_write(struct model *model, const struct rank_sums *ranks, const char *path);

/* Read and check a file. Return: NULL after an error() */
struct profile *profile_open(const char *path);
void profile_close(struct profile *profile);
/* The runs that it was made from, and their names. */
size_t profile_nr_runs(const struct profile *profile);
const char *profile_run_name(const struct profile *profile, size_t run);
/* Is it of a part of a run (struct filter), with its single MPI calls? */
bool profile_is_part(const struct profile *profile);
const struct profile_totals *profile_totals(const struct profile *profile);

/*
 * Steps of model_load_runs(): add its processes, as runs from @run on; how they ended; its names and
 * functions. Return: 0, or -1 after an error()
 */
int profile_add_processes(struct profile *profile, struct model *model, uint32_t run);
void profile_set_ends(struct profile *profile);
void profile_add_functions(struct profile *profile, struct model *model);
/* Its functions, for versions_match(). */
struct function **profile_functions(const struct profile *profile, size_t *nr);
/*
 * Add its call paths, and if it has several runs, their shares of functions. Only once: they are read from
 * the file and not kept. Return: 0, or -1 after an error()
 */
int profile_add_tree(struct profile *profile, struct model *model);
/*
 * Add the ranges of its paths over its runs. After parts_take() took the tree of a profile with several runs.
 */
void profile_add_ranges(const struct profile *profile, struct model *model);
