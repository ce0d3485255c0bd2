/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names and source lines of the functions of one object: those that were saved with the run, else those that its
 * file has now, if it is still the same file.
 */
#ifndef INSIDEME_NAMING_H
#define INSIDEME_NAMING_H

#include "analyzer/model/model.h"
#include "analyzer/symbols/symbols.h"

/* A function's name as it was saved; texts belong to the model. */
struct saved_name {
	uint64_t addr;			/* in the object */
	const char *name;		/* NULL: a stub of the function at home_addr in home */
	const char *file;		/* NULL: not known */
	uint32_t line;
	struct object *home;
	uint64_t home_addr;
};

/* struct object's naming. */
struct naming {
	struct symbols *symbols;	/* NULL: not opened, or state says why not */
	enum symbols_state state;
	bool opened;
	struct saved_name *saved;
	size_t nr_saved;
	bool sorted;			/* by address, each once */
	bool has_news;			/* something is known that was not saved */
};

struct naming *naming_of(struct object *object);
void naming_release(struct object *object);

/* Add a name that was saved with a run, or will be; of several for one address one stays. */
void naming_add_saved(struct object *object, const struct saved_name *name);
void naming_sort(struct object *object);
/* The saved name of a function, or NULL. */
const struct saved_name *naming_find_saved(struct object *object, uint64_t addr);

/* The object's symbols, opened at the first call; NULL: its state says why not. */
struct symbols *naming_symbols(struct object *object);

/*
 * Name @nr symbols of the object, which are sorted by address, as symbols_name() does; or, where a name was saved, by
 * that: then link_name is NULL, and file and line are set.
 */
void naming_fill(struct object *object, struct symbol *list, size_t nr);

/* Fill in a named symbol's file and line. */
void naming_locate(struct object *object, struct symbol *symbol);

#endif
