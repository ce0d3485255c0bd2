/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names and source lines of the functions of one object: as saved with the run, else from its file, if that
 * did not change.
 */
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/symbols/symbols.h"

/* The saved name of a function. The model owns the texts. */
struct saved_name {
	uint64_t addr;			/* in the object */
	const char *name;		/* NULL: a stub of the function at home_addr in home */
	const char *file;		/* NULL: not known */
	uint32_t line;
	struct object *home;
	uint64_t home_addr;
};

/* For struct object. */
struct naming {
	struct symbols *symbols;	/* NULL: not opened, or state has the reason */
	enum symbols_state state;
	bool opened;
	struct saved_name *saved;
	size_t nr_saved;
	bool sorted;			/* by address, one name for each */
	bool has_news;			/* something became known that was not saved */
};

void naming_release(struct object *object);

/* Add a name that was saved with a run, or will be. If an address has several names, one stays. */
void naming_add_saved(struct object *object, const struct saved_name *name);
void naming_sort(struct object *object);
/* The saved name of a function, or NULL. */
const struct saved_name *naming_find_saved(struct object *object, uint64_t addr);

/* The object's symbols, opened at the first call. NULL: naming->state has the reason. */
struct symbols *naming_symbols(struct object *object);

/*
 * Name @nr symbols of the object, sorted by address, as symbols_name() does. A saved name comes first: then
 * link_name is NULL, and file and line are set.
 */
void naming_fill(struct object *object, struct symbol *list, size_t nr);

/* Fill in a named symbol's file and line. */
void naming_locate(struct object *object, struct symbol *symbol);
