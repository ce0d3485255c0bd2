/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of an object's symbol table, by name. For this room. */
#pragma once

#include <elfutils/libdwfl.h>

#include "analyzer/symbols/symbols.h"

struct by_name {
	bool read;
	struct named *list;		/* sorted by the name's hash */
	size_t nr;
};

/*
 * The address of the function that the source calls @name and that is wanted; 0: none is, or more than one.
 * The first call reads the symbol table.
 */
uint64_t by_name_find(struct by_name *by_name, Dwfl_Module *module, const char *name, symbols_wanted *wanted,
		      void *context);
/*
 * The same of functions and of the clones that the compiler made of them ("sort.isra.0"); of several, the
 * function itself or else any clone.
 */
uint64_t by_name_first(struct by_name *by_name, Dwfl_Module *module, const char *name, symbols_wanted *wanted,
		       void *context);
void by_name_release(struct by_name *by_name);
