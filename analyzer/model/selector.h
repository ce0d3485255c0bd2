/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which functions a pattern of insideme_pattern.h means. Names are compared with parameters, without them, and
 * without template arguments, as the recorder does; places are source
 * files and modules, by path or base name.
 */
#ifndef INSIDEME_SELECTOR_H
#define INSIDEME_SELECTOR_H

#include <stdbool.h>

#include "analyzer/model/model.h"
#include "insideme_pattern.h"

/* @function must have its name; its source is looked up where @pattern may be a file. */
bool selector_fits(const struct pattern *pattern, struct function *function);
/* The same of a pattern's text. */
bool selector_matches(const char *pattern, struct function *function);

#endif
