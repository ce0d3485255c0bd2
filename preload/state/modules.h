/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The module map: which object lay where, from when to when, so that addresses can be named later. */
#ifndef INSIDEME_MODULES_H
#define INSIDEME_MODULES_H

#include <stdbool.h>
#include <stdint.h>

/* Called when module @number, at [@begin, @end), is found to be gone. */
typedef void module_gone(uint64_t begin, uint64_t end, uint64_t number);

/* Called when an object of @path is found that is loaded. One at a time, with signals blocked. */
typedef void module_seen(const char *path, uintptr_t bias, uintptr_t begin, uintptr_t end);

/* Constructor only. */
void modules_init(module_seen *seen, module_gone *gone);

/* Record all objects that are loaded, as far as they are not known yet. */
void modules_look(void);

/* Record again what is known: a forked child has a new log. Callable from signal handlers. */
void modules_log_all(void);

/* Does an object that is loaded call the entry hook? A few us, more in programs with many imports. */
bool modules_have_hooks(void);

/*
 * Record the object that @addr lies in, if it is not known yet. Called when a new path is made: cheap for what
 * is known. Callable from hooks and signal handlers.
 */
void modules_know(uintptr_t addr);

/* The file of the known object that @addr lies in, and its bias. False: there is none. Callable from hooks and signal handlers. */
bool modules_place(uintptr_t addr, const char **file, uintptr_t *bias);

#endif
