/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the program's locks were initialised, and the names that the program gave them. The table is in
 * private memory, so a forked child inherits it. If there are many thousand locks, some without a name are
 * forgotten. Nothing here takes a lock: callable from threads and signal handlers, and before the
 * constructor.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct lock_facts {
	uint64_t init_addr; /* of struct log_wait; 0: not known */
	uint32_t label;	     /* log_label.number of its name; 0: none */
};

/* The lock begins: earlier facts were of another one. */
void lock_initialised(const void *lock, uintptr_t caller_addr);

/* Its memory may become anything. */
void lock_destroyed(const void *lock);

/* Module @number is gone, which was at [@begin, @end): other code may come there. */
void lock_retire_code(uintptr_t begin, uintptr_t end, uint64_t number);

/* Return: false if there is no room. */
bool lock_name(const void *lock, uint32_t label);

struct lock_facts lock_facts(const void *lock);
