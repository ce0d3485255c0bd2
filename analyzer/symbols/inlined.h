/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions the compiler inlined at which code of a compilation unit. For this room. One walk through
 * the unit's debug information collects all of them. To ask libdw for the scopes of one address takes up to
 * 5 ms each time.
 */
#pragma once

#include "analyzer/symbols/compile_units.h"

/* The code of a function that can be called, or a copy of a function that was inlined into another copy. */
struct inlined_copy {
	Dwarf_Die die;
	Dwarf_Die origin;		/* what all copies of a function share */
	size_t within;			/* number of the copy around it */
	uint32_t depth;			/* 0: it can be called */
	/* symbols.c's own: */
	bool is_named;
	uint64_t called_addr;
	const char *name;
};

/* A copy that can be called. */
struct inlined_called {
	const void *origin;		/* its origin's address */
	uint64_t addr;
};

struct inlined *inlined_read(struct unit *unit);
void inlined_free(struct inlined *inlined);

/*
 * The copies at @addr, outermost first: the first one can be called. If there are more than @most the
 * innermost ones are left out. Return: how many; 0: no function of the unit has this code
 */
size_t inlined_find(const struct inlined *inlined, uint64_t addr, struct inlined_copy **copies,
		    size_t most);

/* The unit's copies of the same function that can be called; more than one where the compiler cloned it. */
const struct inlined_called *inlined_called(const struct inlined *inlined, const struct inlined_copy *copy,
					    size_t *nr);

/* Do other units know this function? */
bool inlined_is_external(const struct inlined_copy *copy);
/* The source file of the call that was inlined, and *@line in it; NULL: not known. Only for depth > 0. */
const char *inlined_call(const struct inlined_copy *copy, unsigned int *line);
/* The linker's name of the function; NULL: it has none. */
const char *inlined_link_name(const struct inlined_copy *copy);
