/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A saved profile as it was read: profile_read.c fills it, profile.c puts it into a model. */
#ifndef INSIDEME_PROFILE_DATA_H
#define INSIDEME_PROFILE_DATA_H

#include <jansson.h>

#include "model.h"
#include "profile.h"

struct saved_function {
	struct function *function;	/* once it is in the model */
	int64_t module;			/* -1: none */
	json_t *json;
	struct histogram histogram;
	struct run_part *parts;		/* NULL: not told */
};

struct saved_path {
	int64_t parent;			/* -1: none */
	int64_t function;
	struct tree_node counters;
	struct path_range range;	/* of several runs */
	bool has_age;
	struct heap_age age;
	struct tree_node *node;		/* once it is in the model */
};

struct profile {
	char *path;
	json_t *root;			/* texts are its */
	uint32_t first_run;
	size_t nr_runs;
	struct process *processes;	/* as they were saved */
	struct process **added;		/* the model's */
	size_t nr_processes;
	struct object *modules;		/* as they were saved */
	struct object **objects;	/* the model's */
	size_t nr_modules;
	struct saved_function *functions;
	struct function **list;		/* of them, for versions_match() */
	size_t nr_functions;
	struct saved_path *paths;
	size_t nr_paths;
	struct tree_node outside;
};

#endif
