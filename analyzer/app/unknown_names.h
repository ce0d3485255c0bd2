/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Report names on the command line that do not exist, and suggest similar ones. */
#pragma once

#include "analyzer/model/model.h"

/* Return: EXIT_USAGE */
int unknown_view(const char *name);
int unknown_format(const char *name);
/* Warn if no function matches @pattern. */
void unknown_function(const struct model *model, const char *pattern);
