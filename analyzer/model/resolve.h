/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts names and source lines to the functions of a model. */
#ifndef INSIDEME_RESOLVE_H
#define INSIDEME_RESOLVE_H

#include "analyzer/model/model.h"

/*
 * Name all functions, and put the model's into the order of the views: those with most total time first. name and
 * short_name are set; resolved tells whether they are real or "module+0x1234".
 * A function that was seen by its stub in a program goes to the object that defines it.
 */
void resolve_names(struct model *model);

/* Name functions of a model whose calls are not read yet; resolve_names() does so again. */
void resolve_ahead(struct function **functions, size_t nr);

/* Fill in a function's file and line, where debug information has them. */
void resolve_source(struct function *function);

/* The function that a thread began with, named; NULL: it is the first, or was not seen beginning. */
struct function *resolve_begin(struct thread *thread);

/* Why functions of an object have no names: "is gone", "is another file now"; NULL if that is not so. */
const char *resolve_trouble(const struct object *object);

/*
 * Save all names with their source lines to the file @path, if there is anything that was not saved. After
 * resolve_names(). Return: 0, or -1 with errno
 */
int resolve_save(struct model *model, const char *path);

void resolve_release(struct model *model);

#endif
