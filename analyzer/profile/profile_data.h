/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A saved profile as it was read: profile_read.c fills it, profile.c puts it into a model. */
#ifndef INSIDEME_PROFILE_DATA_H
#define INSIDEME_PROFILE_DATA_H

#include <jansson.h>
#include <stdio.h>

#include "analyzer/model/model.h"
#include "analyzer/profile/profile.h"
#include "analyzer/profile/profile_fields.h"

struct saved_function {
	struct function *function;	/* once it is in the model */
	int64_t module;			/* -1: none */
	json_t *json;
	struct histogram histogram;
	struct run_part *parts;		/* [nr_runs]; NULL: not told */
	struct heap_part *heap_parts;	/* likewise */
};

/* A row. The first one is what is outside of all functions. */
struct saved_path {
	int64_t parent;			/* row of the caller; -1: the first row has none */
	int64_t function;		/* likewise */
	struct path_counters counters;
	struct path_range range;	/* of several runs */
	bool has_age;
	struct heap_age age;
};

/* A pair of caller and function. */
struct saved_edge {
	int64_t caller;			/* -1: nothing that was recorded */
	int64_t function;
	struct run_part *parts;		/* [nr_runs] */
};

struct profile {
	char *path;
	json_t *root;			/* all but the rows; texts are its */
	json_int_t version;
	struct profile_totals totals;
	FILE *file;			/* at the next row; NULL: all were read */
	char *line;			/* the last one */
	size_t line_bytes;
	size_t nr_lines;
	uint32_t first_run;
	size_t nr_runs;
	struct saved_process *processes;
	struct process **added;		/* the model's */
	size_t nr_processes;
	struct object *modules;		/* as they were saved */
	struct object **objects;	/* the model's */
	size_t nr_modules;
	struct saved_function *functions;
	struct function **list;		/* of them, for versions_match() */
	size_t nr_functions;
	struct heap_part *outside_parts;	/* [nr_runs]; NULL: not told */
	struct tree_node **nodes;	/* [row] of the model's tree */
	struct path_range *ranges;	/* [row]; NULL: one run */
	size_t nr_rows;
	uint64_t kept_calls;		/* by the selection */
	double kept_ns;			/* self time of these */
};

/* Go on to the list that @begin begins. Return: 0, or -1 after an error() */
int profile_next_list(struct profile *profile, const char *begin);
/*
 * The next row of a list, as text without what separates rows; lives until the next one is asked for. Return: 1, 0 at
 * the end of the list, -1 after an error()
 */
int profile_next_row(struct profile *profile, const char **row);
/* An error() about the last row. Return: -1 */
int profile_bad_row(const struct profile *profile);

#endif
