/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The module map: which object was where, from when to when, so that addresses can be named later. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called when module @number, at [@begin, @end), was found to be gone. */
typedef void module_gone(uint64_t begin, uint64_t end, uint64_t number);

/* Called when a loaded object of @path is found. One call at a time, with signals blocked. */
typedef void module_seen(const char *path, uintptr_t bias, uintptr_t begin, uintptr_t end);

/* Constructor only. */
void modules_init(module_seen *seen, module_gone *gone);

/* Record all loaded objects that are not known yet. */
void modules_look(void);

/*
 * Call @begin, @each for every known object, and @end, while no other task changes the map, with signals
 * blocked. Waits for one that does.
 */
struct modules_visit {
	void (*begin)(void *context);
	void (*each)(const char *path, uintptr_t bias, uintptr_t begin, uintptr_t end, void *context);
	void (*end)(void *context);
};
void modules_visit(const struct modules_visit *visit, void *context);

/* Record again what is known: a forked child has a new log. Callable from signal handlers. */
void modules_log_all(void);

/* Does a loaded object call the entry hook? Takes a few us, more in programs with many imports. */
bool modules_have_hooks(void);

/*
 * Record the object that contains @addr, if it is not known yet. Called when a new path is made: cheap for
 * known objects. Callable from hooks and signal handlers.
 */
void modules_know(uintptr_t addr);

/*
 * The same for each of @nr words, which may be anything: what code a stack is of. Takes no lock: before glibc
 * 2.35 it does nothing.
 */
void modules_know_all(const uint64_t *addrs, size_t nr);

/*
 * The file and bias of the known object that contains @addr. Return: false if there is none. Callable from
 * hooks and signal handlers.
 */
bool modules_place(uintptr_t addr, const char **file, uintptr_t *bias);
