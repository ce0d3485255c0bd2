/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions a pattern of insideme_pattern.h selects. As in the recorder, a name is compared with
 * parameters, without them, and without template arguments. A place is a source file or a module, by path or
 * base name.
 */
#pragma once

#include <stdbool.h>

#include "analyzer/model/model.h"
#include "insideme_pattern.h"

/* @function must have its name. Its source line is looked up if @pattern may be a file. */
bool selector_fits(const struct pattern *pattern, struct function *function);
/* The same for the text of a pattern. */
bool selector_matches(const char *pattern, struct function *function);
