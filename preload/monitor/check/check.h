/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * insideme-run --check: what will be recorded of a program, what will not, and what to do. Nothing
 * is run.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "preload/common/base/settings.h"

struct check {
	const char *name;		/* of the program, as given */
	char path[PATH_MAX];		/* its file */
	const char *library;		/* as LD_PRELOAD names it; NULL: none */
	char **environment;		/* that the program would get, without the library */
	const struct settings *settings;
};

/* Print a line for each finding. Return: whether the program can be recorded. */
bool check_print(const struct check *check);
