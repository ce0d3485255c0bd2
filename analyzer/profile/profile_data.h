/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A saved profile as it was read: profile_read.c fills it, profile.c adds it to a model. */
#pragma once

#include <jansson.h>
#include <obstack.h>
#include <stdio.h>

#include "analyzer/model/model.h"
#include "analyzer/profile/profile.h"
#include "analyzer/profile/profile_fields.h"

struct saved_function {
	struct function *function;	/* once it is in the model */
	int64_t module;			/* -1: none */
	json_t *json;
	struct histogram histogram;
	struct run_part *parts;		/* [nr_runs] of version 1 to 3; NULL: not recorded */
	struct heap_part *heap_parts;	/* [nr_runs]; NULL: not recorded */
	json_t *cpu_runs;		/* of json, version 3: [nr_runs] self CPU time or null; NULL: none */
};

/* A row. The first row is everything outside of functions. */
struct saved_path {
	int64_t parent;			/* row of the caller; -1: the first row has none */
	int64_t function;		/* -1: the first row has none */
	struct path_counters counters;
	struct path_range range;	/* of several runs */
	bool has_age;
	struct heap_age age;
};

struct profile {
	char *path;
	json_t *root;			/* everything but the rows; owns the texts */
	struct obstack memory;		/* of root */
	bool has_memory;
	json_int_t version;
	struct profile_totals totals;
	FILE *file;			/* at the next row; NULL: all rows were read */
	char *line;			/* the last one */
	size_t line_bytes;
	size_t nr_lines;
	uint32_t first_run;
	size_t nr_runs;
	struct saved_process *processes;
	struct process **added;		/* in the model */
	size_t nr_processes;
	struct object *modules;		/* as they were saved */
	struct object **objects;	/* in the model */
	size_t nr_modules;
	struct saved_function *functions;
	struct function **list;		/* of the functions, for versions_match() */
	size_t nr_functions;
	struct heap_part *outside_parts;	/* [nr_runs]; NULL: not recorded */
	struct tree_node **nodes;	/* [row] of the model's tree */
	struct path_range *ranges;	/* [row]; NULL: one run */
	size_t nr_rows;
	uint64_t kept_calls;		/* of calls that the selection keeps */
	double kept_ns;			/* their self time */
	double kept_hooks_ns;		/* the cost of hooks in it */
};

/* Go to the list that @begin begins. Return: 0, or -1 after an error() */
int profile_next_list(struct profile *profile, const char *begin);
/*
 * The next row of a list, as text without separators. Valid until the next call. Return: 1, 0 at the end of
 * the list, -1 after an error()
 */
int profile_next_row(struct profile *profile, const char **row);
/* Report the last row as bad. Return: -1 */
int profile_bad_row(const struct profile *profile);
