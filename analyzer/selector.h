/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Patterns that select functions, by what they are called and where they are: NAME, FILE, MODULE, FILE:NAME, MODULE:NAME.
 *
 * A name is compared as name_matches() does: with or without parameters, as it stands or as a glob. A pattern with a
 * dot or a slash in it may also be a source file or a module, by path or base name. What stands before a single colon is
 * always one.
 */
#ifndef INSIDEME_SELECTOR_H
#define INSIDEME_SELECTOR_H

#include <stdbool.h>

#include "model.h"

/* @function must have its name; its source is looked up where @pattern may be a file. */
bool selector_matches(const char *pattern, struct function *function);

#endif
