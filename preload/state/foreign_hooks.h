/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects that call other hooks than ours. Their functions are not recorded; the log says so. */
#pragma once

#include <stdbool.h>

#include "insideme_log.h"

/*
 * Look for such objects: in the object of @handle, which is about to be unloaded, or in all loaded ones
 * (NULL: at the end; does nothing if there were other threads). Also does nothing in a forked child, where a
 * lock may be held for ever.
 */
void foreign_hooks_look(const void *handle);

/* @hook: our own one. Called by the constructor. */
void foreign_hooks_init(const void *hook);
/* From now on @log is the log of the constructor's process. A child has another one. */
void foreign_hooks_begin(const struct log_header *log);

/* Was an object loaded since the constructor? Otherwise there is nothing to look for. */
bool foreign_hooks_is_possible(void);
