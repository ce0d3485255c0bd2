/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a thread's registers and a copy of its stack to the functions that were open, by the unwind tables of
 * object files. libdwfl evaluates them. Code without a table ends the stack: nothing is guessed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNWIND_FRAMES_MOST 4096u

struct unwind_object {
	const char *path;		/* of the file, which must be the one that was loaded */
	uint64_t bias;			/* address in the process less address in the file */
};

struct unwind_stack {
	const uint64_t *registers;	/* as DWARF numbers them; the last one is the code's address */
	unsigned int nr_registers;
	uint64_t known;			/* a bit for each */
	unsigned int sp_number;		/* of the stack pointer */
	uint64_t begin_addr;		/* of the copy */
	const uint8_t *bytes;
	size_t nr_bytes;
};

struct unwind_frame {
	uint64_t code_addr;		/* the code that ran, or in the call of the frame before it */
	uint64_t begin_addr;		/* its function's, by the symbol table; code_addr: not known */
};

/*
 * The open functions of @stack, the innermost first. *@is_cut: the outermost ones are missing. Return: how
 * many.
 */
size_t unwind(const struct unwind_object *objects, size_t nr_objects, const struct unwind_stack *stack,
	      struct unwind_frame frames[UNWIND_FRAMES_MOST], bool *is_cut);
