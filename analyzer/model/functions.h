/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which function an address of a process is: loaded objects, and one struct function for each function. */
#ifndef INSIDEME_FUNCTIONS_H
#define INSIDEME_FUNCTIONS_H

#include "analyzer/base/hashtable.h"
#include "analyzer/model/model.h"

#define REGION_OF_GAPS "(not recorded)"	/* calls that began while recording was off: LOG_FUNCTION_GAP */

struct function_tables {
	struct hashtable functions;	/* by object or process, and address */
	struct hashtable places;	/* by process and address as the hook saw it: the fast way */
	struct function others;
	struct function counted;
};

void functions_init(struct function_tables *tables);
/* All numbers of functions are less. */
static inline size_t functions_count(const struct function_tables *tables)
{
	return tables->functions.nr_items + 1;
}
void functions_release(struct function_tables *tables);

/* The object like @wanted (path, build-id, size, mtime), made when it is new. */
struct object *object_find(struct model *model, const struct object *wanted);

/*
 * The function of a node: its address with LOG_FUNCTION_ flags. A retired one is looked for among modules that
 * are gone; when those do not agree it is in no object. All modules of the process must be known.
 */
struct function *function_find(struct function_tables *tables, struct process *process, uint64_t function_addr);

/* @function_addr as of a node that was made at @ticks: with the flags of a module that was there then, and is gone. */
uint64_t function_retired(const struct process *process, uint64_t function_addr, uint64_t ticks);

/* The function at an address of an object; without object (NULL): of @process. */
struct function *function_at(struct function_tables *tables, struct object *object, struct process *process, uint64_t addr);

/* The same, if there is one already; else NULL. */
struct function *function_known(const struct function_tables *tables, const struct object *object, uint64_t addr);

/* The module that had the code at @addr at that time, or NULL. */
const struct module *module_at(const struct process *process, uint64_t addr, uint64_t ticks);

/* The region @name, of @process if it is new. */
struct function *function_of_region(struct function_tables *tables, struct process *process, const char *name);

#endif
