/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RUN/names: the names of a run's functions. doc/log-format.md describes the file. */
#pragma once

#include "analyzer/model/model.h"

#define NAMES_FILE "names"		/* in the directory of the run */

/* Give the model's objects the names in the file @path, if it exists. Damage is reported on stderr. */
void names_file_read(struct model *model, const char *path);

/*
 * Write the names of the model's objects (naming_add_saved()) to @path: all of them, or nothing. Return: 0,
 * or -1 with errno
 */
int names_file_write(struct model *model, const char *path);
