/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two runs side by side, matched by names. Functions match if their names do, and the text that distinguishes
 * them from others of that name. Call paths match if their functions do. So builds, directories and programs
 * may differ.
 */
#pragma once

#include "analyzer/base/hashtable.h"
#include "analyzer/model/model.h"

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/* The numbers of one side; all 0 if it has none. */
struct diff_side {
	bool is_there;
	struct call_stats stats;
	struct heap_stats heap;
	double *self_runs_ns; /* [runs of the side] of a function; NULL: it is not known */
	double *total_runs_ns, *cpu_runs_ns; /* the same of its total time, and of its CPU time */
};

struct diff_function {
	struct function *function;	/* of the later run, if that has it */
	struct diff_side sides[DIFF_SIDES];
};

struct diff_path {
	const struct diff_path *parent;	/* NULL: it is the root */
	const struct diff_function *function;	/* NULL: likewise */
	const struct tree_node *node;	/* the later run's first one with these names; NULL: it has none */
	struct diff_side sides[DIFF_SIDES];
	uint32_t number;		/* in paths */
};

struct diff {
	struct diff_function **functions;	/* called in either run, and their callers */
	size_t nr_functions;
	struct diff_path **paths;	/* callers before what they call; the root first */
	size_t nr_paths;
	struct hashtable by_name, by_place;	/* diff.c's own; they hold the memory of both lists */
};

/* After resolve_names() of both models, which must live as long. */
void diff_init(struct diff *diff, const struct model *before, const struct model *after);
void diff_release(struct diff *diff);
/* As tree_is_of_counters(). */
bool diff_path_is_of_counters(const struct diff_path *path);
