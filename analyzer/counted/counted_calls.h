/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The paths of calls that timing auto only counted.
 *
 * A counter does not know its caller. If at least COUNTED_LEAST_SAMPLES samples met a function, and all of
 * them on one path, its counted calls belong to that path. Fewer samples could have missed another path.
 * Other calls stay below "(counted calls)", which views do not show. Then the function's paths say that they
 * lack calls.
 */
#pragma once

#include "analyzer/model/model.h"

/*
 * Set is_counted of functions, before the hooks' cost is subtracted. A function whose calls were all timed in
 * the end is a recorded one. Return: was any counted, even if it is left out?
 */
bool counted_calls_find(const struct model *model);

/* Once the tree has all its paths, those of samples too. */
void counted_calls_place(struct model *model);
