/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From an address of a process to its function: loaded objects, and one struct function for each function. */
#pragma once

#include "analyzer/base/hashtable.h"
#include "analyzer/model/model.h"

struct function_tables {
	struct hashtable functions;	/* by object or process, and address */
	struct hashtable places;	/* by process and address as the hook saw it: the fast way */
	struct function **same;		/* [number]: the function of another build that it is counted as;
					 * NULL: itself */
	size_t nr_same;
	struct function others;
	struct function counted;
};

void functions_init(struct function_tables *tables);
/* All numbers of functions are below this. */
static inline size_t functions_count(const struct function_tables *tables)
{
	return tables->functions.nr_items + 2;	/* 0: "(other paths)", 1: "(counted calls)" */
}
void functions_release(struct function_tables *tables);

/* Free its names. They must not be constant ones. */
void function_release_name(struct function *function);

/* Count @function, of one build of a file, as @same of another build from now on. */
void function_merge(struct function_tables *tables, const struct function *function, struct function *same);
/* The function that @function is counted as. */
static inline struct function *function_merged(const struct function_tables *tables,
					       struct function *function)
{
	return function->number < tables->nr_same && tables->same[function->number]
		       ? tables->same[function->number]
		       : function;
}

/* The object with the path, build-id, size and mtime of @wanted. Made if it is new. */
struct object *object_find(struct model *model, const struct object *wanted);

/* Its place in model->objects, from 0. */
uint32_t object_number(const struct model *model, const struct object *object);

/*
 * The function of a node from its address with LOG_FUNCTION_ flags. A retired address is looked up among
 * unloaded modules; if these disagree, the function is in no object. All modules of the process must be
 * known.
 */
struct function *function_find(struct function_tables *tables, struct process *process,
			       uint64_t function_addr);

/*
 * @function_addr as a node made at @ticks would have it: with the flags of the module that was loaded then,
 * if that is gone.
 */
uint64_t function_retired(const struct process *process, uint64_t function_addr, uint64_t ticks);

/* The function at an address of an object; without an object (NULL), of @process. */
struct function *function_at(struct function_tables *tables, struct object *object, struct process *process,
			     uint64_t addr);

/* The same if it exists already, else NULL. */
struct function *function_known(const struct function_tables *tables, const struct object *object,
				uint64_t addr);

/* The module that a node's function or code is in, by its flags; NULL: none, or not known. */
const struct module *module_of_node(const struct process *process, uint64_t function_addr);

/* The module whose code was at @addr at that time, or NULL. */
const struct module *module_at(const struct process *process, uint64_t addr, uint64_t ticks);

/* Is it one of the recorder's libraries? */
bool object_is_recorders(const struct object *object);

/* The region @name, or the library call of that kind (0: a region), made for @process if it is new. */
struct function *function_of_region(struct function_tables *tables, struct process *process, const char *name,
				    enum log_wait_kind wait);

/* The region that the recorder made: MADE_UP_GAP or MADE_UP_TEAM. */
struct function *function_made_up(struct function_tables *tables, struct process *process,
				  enum made_up made_up);

/* Orders pointers to functions by object and address, for qsort(). */
int functions_by_place(const void *a, const void *b);
