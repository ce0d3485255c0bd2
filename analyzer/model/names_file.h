/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RUN/names: the names of a run's functions, as doc/log-format.md describes the file. */
#ifndef INSIDEME_NAMES_FILE_H
#define INSIDEME_NAMES_FILE_H

#include "analyzer/model/model.h"

#define NAMES_FILE "names"		/* in the directory of the run */

/* Give the model's objects the names that the file @path has, if it is there; damage is told on stderr. */
void names_file_read(struct model *model, const char *path);

/*
 * Write the names that the model's objects have (naming_add_saved()) to @path, whole or not at all.
 * Return: 0, or -1 with errno
 */
int names_file_write(struct model *model, const char *path);

#endif
