/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names on the command line that do not exist: lines on stderr that name what was perhaps meant. */
#ifndef INSIDEME_UNKNOWN_NAMES_H
#define INSIDEME_UNKNOWN_NAMES_H

#include "analyzer/model/model.h"

/* Return: EXIT_USAGE */
int unknown_view(const char *name);
int unknown_format(const char *name);
/* A warning, if no function is called so. */
void unknown_function(const struct model *model, const char *pattern);

#endif
