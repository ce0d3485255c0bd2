/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The path of calls that timing auto only counted.
 *
 * A counter does not know its caller. Counted calls of a function that was met on a single path, by
 * COUNTED_LEAST_SAMPLES samples, are that path's. Fewer would not show another path. Others stay beneath "(counted calls)", which views do not show; the function's paths say that they lack them.
 */
#ifndef INSIDEME_COUNTED_CALLS_H
#define INSIDEME_COUNTED_CALLS_H

#include "analyzer/model/model.h"

/* Set is_counted of functions: one whose calls were all timed after all is a recorded one. Return: is there any? */
bool counted_calls_find(const struct model *model);

/* Once the tree has all its paths, those of samples too. */
void counted_calls_place(struct model *model);

#endif
