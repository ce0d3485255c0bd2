/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives the functions of a model names and source lines. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Name all functions, and sort the model's functions as views show them: by total time, largest first. Sets
 * name and short_name. resolved is false if the name is only "module+0x1234". A function that a program saw
 * by its stub moves to the object that defines it.
 */
void resolve_names(struct model *model);

/* Name functions of a model whose calls are not read yet. resolve_names() must follow later. */
void resolve_ahead(struct function **functions, size_t nr);

/* Set link_name of all functions, for those of objects that are still there. After resolve_names(). */
void resolve_link_names(const struct model *model);

/* Set a function's file and line, if debug information has them. */
void resolve_source(struct function *function);

/*
 * The function that a thread began with, named. NULL: it is the first thread, or its beginning was not
 * recorded. May add a function to the model.
 */
struct function *resolve_begin(struct thread *thread);

/*
 * The same for readers: if that function has no name, as that of std::thread in a stripped library, the
 * recorded function without a caller that had most of the thread's time.
 */
struct function *resolve_outermost(struct thread *thread);

/* Why functions of an object have no names: "is gone", "is another file now". NULL: they have names. */
const char *resolve_trouble(const struct object *object);

/*
 * Save all names and source lines to the file @path, if any of them is not saved yet. After resolve_names().
 * Return: 0, or -1 with errno
 */
int resolve_save(struct model *model, const char *path);
