/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects that call other hooks than ours: their functions are not recorded, which is said in the log. */
#ifndef INSIDEME_FOREIGN_HOOKS_H
#define INSIDEME_FOREIGN_HOOKS_H

#include <stdbool.h>

#include "insideme_log.h"

/*
 * Look for them: in the object of @handle, which is about to be unloaded, or in all that are loaded (NULL: the end, where
 * it does nothing if there were other threads). Does nothing in a forked child either: a lock may stay taken there.
 */
void foreign_hooks_look(const void *handle);

/* @hook: our own. Called by the constructor. */
void foreign_hooks_init(const void *hook);
/* The constructor's process has @log from now on: a child has another one. */
void foreign_hooks_begin(const struct log_header *log);

/* Was something loaded since the constructor? Else there is nothing to look for. */
bool foreign_hooks_is_possible(void);

#endif
