/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects that call other hooks than ours: their functions are not recorded, which is said in the log. */
#ifndef INSIDEME_BYPASS_H
#define INSIDEME_BYPASS_H

/*
 * Look for them: in the object of @handle, which is about to be unloaded, or in all that are loaded (NULL: the end, where
 * it does nothing if there were other threads). Does nothing in a forked child either: a lock may stay taken there.
 */
void bypass_look(const void *handle);

/* @hook: our own. Called by the constructor, when its log is open: a child has another one. */
void bypass_init(const void *hook);

#endif
