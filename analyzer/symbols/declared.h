/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions by where the source defines them, with or without code of their own. For this room. */
#pragma once

#include "analyzer/symbols/compile_units.h"

struct declaration {
	const char *file;
	unsigned int line;
	const char *link_name;
};

struct declared {
	struct declaration *list; /* by the last name of the file, and line */
	size_t nr;
	bool read;
};

/*
 * The last function that is defined at @line of a file called like @file, or before it; NULL: there is
 * none. The first call walks through all units.
 */
const struct declaration *declared_before(struct declared *declared, struct compile_units *units,
					  Dwfl_Module *module, const char *file, unsigned int line);
void declared_release(struct declared *declared);
