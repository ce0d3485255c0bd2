/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call sites of hooks, changed in the program's code: those of counted functions add 1 to a counter of the
 * thread in place of calling the entry hook, and their exits return at once; those of excluded functions
 * return at once.
 *
 * A site is changed when a hook is called from it: it says itself whose it is, so nothing is searched for.
 * Only exits that jump to the hook are looked for, in the function that they belong to, as its unwind table
 * tells where it ends.
 *
 * Other threads may run a site while it changes. So only the displacement of its call is written, by one
 * store within a line of 64 bytes. A site whose displacement crosses a line keeps its bytes in one of both
 * lines: its stub, or a detour to it, lies where they fit. A site that calls by a register, and all where the
 * kernel refuses to make code writable, go on to the hook, which does the same more slowly.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

/*
 * The entry hook was called for the counted function of this place in the table, and its call returns to
 * @return_addr. From any thread and handler; makes system calls at most once for a site.
 */
void site_entered(uint32_t function, uintptr_t return_addr);

/* The same of a function that is excluded: its site is to return at once. */
void site_entered_in_vain(uint64_t function_addr, uintptr_t return_addr);

/*
 * The exit hook was called for a function that is counted, none of whose calls is open, or that is excluded:
 * its exits are to return at once. By a jump @return_addr is where the function itself returns to.
 */
void site_left(uint64_t function_addr, uintptr_t return_addr);

void sites_forked(void);
void sites_log_all(void);
void sites_forget(uintptr_t begin, uintptr_t end);
