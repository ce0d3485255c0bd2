/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compilation units of an object's debug information, and which of them has which code. For this room. */
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inlined;

struct unit_entry {
	uint64_t addr;
	Dwarf_Die die;
};

struct unit {
	Dwarf_Die die;
	Dwarf_Die skeleton;		/* what has its ranges and lines; die, but of a split unit */
	struct unit_entry *entries;	/* symbols.c's own: functions with code, sorted by address */
	size_t nr_entries;
	bool read;			/* these are known, and is_fortran */
	bool is_fortran;
	struct inlined *inlined;	/* symbols.c's own; NULL: not read yet */
	bool is_damaged;		/* part of it cannot be read, as far as that was tried */
};

struct compile_units {
	Dwarf_Addr bias;		/* of addresses in the debug file; not 0 only after prelink */
	bool read;
	struct unit *list;
	size_t nr;
	struct unit_range *ranges;	/* sorted by begin */
	size_t nr_ranges;
	bool is_damaged;		/* as a unit: not all units can be listed */
};

/* The unit that has the code at @addr of the module; NULL: none has. The first call lists the units. */
struct unit *compile_units_find(struct compile_units *units, Dwfl_Module *module, uint64_t addr);
void compile_units_release(struct compile_units *units);

/* Set *@is_damaged if libdw could not read on, so that @result is below 0. Return: @result */
ptrdiff_t compile_units_note(bool *is_damaged, ptrdiff_t result);
bool compile_units_are_damaged(const struct compile_units *units);

/* The first instruction of a function. Return: false if @die has no code */
bool compile_units_entry_addr(Dwarf_Die *die, Dwarf_Addr *addr);

/* The path of the source file that the attribute @name of @die numbers; NULL: not known. */
const char *compile_units_file(Dwarf_Die *die, unsigned int name);

/* @path as the unit has it, from its folder if it is relative. Valid until the end. NULL if @path is none. */
const char *compile_units_path(Dwarf_Die *unit, const char *path);

/* Orders structs whose first member is an address, for qsort() and bsearch(). */
int compile_units_by_addr(const void *a, const void *b);
