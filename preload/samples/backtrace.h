/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack of a thread without hooks, found by the unwind tables of its code. libgcc's _Unwind_Backtrace()
 * reads them. It is used only if it finds the tables by glibc's _dl_find_object() (2.35 and later): older
 * versions take the dynamic linker's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/calls/paths.h"

/* From a deeper stack, only the innermost functions. */
#define BACKTRACE_MOST 128

/*
 * Look libgcc up, in the constructor. Later calls return what the first one returned. Return: NULL, or why
 * there are no stacks
 */
const char *backtrace_init(void);

/*
 * Fill @calls with the open functions, the innermost first. The recorder's own functions are left out, and so
 * are those of libc and the dynamic linker that ran before the program's first one. A function without an
 * unwind table ends the stack; it is known by an address in it.
 * @code_addr: where the program called the recorder's wrapper, or was interrupted
 * May be called from any thread, from signal handlers, and within malloc(). Takes some KiB of the stack: a
 * malloc() with it takes 7. Return: their number; 0: none is known, for example because the thread is in the
 * unwinder itself, which holds a lock if code has registered tables
 */
uint32_t backtrace_take(struct stack_call calls[BACKTRACE_MOST], uintptr_t code_addr);

/* The same, for only the functions whose stack pointer is at most @end_addr: what a known place called. */
uint32_t backtrace_take_below(struct stack_call calls[BACKTRACE_MOST], uintptr_t code_addr,
			      uintptr_t end_addr);

/*
 * May a signal handler take a stack here, whatever it interrupted? Not while the thread may hold libgcc's
 * lock for tables that code registers by __register_frame(), as run-time compilers do. Before gcc 13, never
 * again once code has registered a table.
 */
bool backtrace_is_possible(void);

/* The program registers or removes the unwind tables @table by @real_change, which may hold that lock. */
void backtrace_change_tables(void (*real_change)(void *), void *table);
