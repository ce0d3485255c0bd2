/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack of a thread that has no hooks, by the unwind tables of its code: libgcc's _Unwind_Backtrace(), where that
 * asks glibc's _dl_find_object() for the tables (2.35 and later). Older ones take the dynamic linker's lock.
 */
#ifndef INSIDEME_BACKTRACE_H
#define INSIDEME_BACKTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/calls/paths.h"

/* Of a deeper stack the innermost functions are told. */
#define BACKTRACE_MOST 128

/*
 * Look libgcc up, in the constructor; later calls say what the first one said. Return: NULL, or why there are no stacks.
 */
const char *backtrace_init(void);

/*
 * Fill @calls with the functions that are open, the innermost first: neither the recorder's own nor those
 * of libc and the dynamic linker from before the program's first one. One that has no unwind table ends the stack, and
 * is told by the address in it. @code_addr: where the program called the recorder's wrapper, or was interrupted.
 * Callable from any thread and from signal handlers, within malloc(). Takes some KiB of the stack: a malloc() with it 7. Return: how many;
 * 0: none is known, for example where that is in the unwinder itself, which holds its lock where code has registered tables.
 */
uint32_t backtrace_take(struct stack_call calls[BACKTRACE_MOST], uintptr_t code_addr);

/* The same of the functions alone whose stack pointer is at most @end_addr: what is called from a place that
 * is known. */
uint32_t backtrace_take_below(struct stack_call calls[BACKTRACE_MOST], uintptr_t code_addr, uintptr_t end_addr);

/*
 * May a signal handler take a stack wherever it came? Not while the thread may hold libgcc's lock for tables that code
 * registers by __register_frame(), as compilers at run time do: before gcc 13 not any more once it has.
 */
bool backtrace_is_possible(void);

/* The program registers or removes the unwind tables @table by @real_change, which may hold that lock. */
void backtrace_change_tables(void (*real_change)(void *), void *table);

#endif
