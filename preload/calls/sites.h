/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changes call sites of hooks in the program's code. At those of counted functions the entry adds 1 to a
 * counter of the thread instead of calling the hook, and the exit returns at once. Those of excluded
 * functions return at once.
 *
 * A site is changed when a hook is called from it: the call's arguments say whose site it is, so nothing is
 * searched for. Only exits that jump to the hook are searched for, within their function; its unwind table
 * says where that ends.
 *
 * Other threads may run a site while it changes. So only the displacement of its call is written, by one
 * store within a line of 64 bytes. If a site's displacement crosses a line, its bytes in one of both lines
 * stay as they are: its stub, or a detour to it, lies where these bytes fit. Sites that call by a register,
 * and all sites if the kernel refuses to make code writable, still call the hook, which does the same more
 * slowly.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

/*
 * The entry hook was called for the counted function of this place in the table, and its call returns to
 * @return_addr. Callable from any thread and handler; makes system calls at most once for a site.
 */
void site_entered(uint32_t function, uintptr_t return_addr);

/* The same for an excluded function: its site will return at once. */
void site_entered_in_vain(uint64_t function_addr, uintptr_t return_addr);

/*
 * The exit hook was called for a function that is excluded, or counted without an open call: its exits will
 * return at once. If the hook was reached by a jump, @return_addr is where the function itself returns to.
 */
void site_left(uint64_t function_addr, uintptr_t return_addr);

void sites_forked(void);
void sites_log_all(void);
void sites_forget(uintptr_t begin, uintptr_t end);
