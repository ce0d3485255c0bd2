/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of symbols as people write them. Pure functions without libc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * @file: the source file of a static function, as the compiler recorded it; NULL: not known.
 *   @value, @bytes: the function's address in the file, and how long its code is.
 */
typedef void symbol_each(const char *name, const char *file, uint64_t value, uint64_t bytes, void *context);

/*
 * Call @each for every function that .symtab, or in a stripped file .dynsym, of the ELF file at
 * @path names. Damaged entries are left out. The file is read, with signals blocked, not mapped: it
 * may be cut meanwhile. Return: 0, or -errno.
 */
int symbol_file_each(const char *path, symbol_each *each, void *context);

/*
 * "Class::method" for a C++ symbol, without parameters and template arguments; "module::procedure"
 * for one of gfortran's; "{lambda()#1}" where no identifier is. Pure. Return: false where it is neither, or
 * needs a real demangler (types that are repeated).
 */
bool symbol_plain_name(const char *symbol, char *name, size_t bytes);
/* The same of C++ with template arguments: "Grid<double, 5>::step". */
bool symbol_short_name(const char *symbol, char *name, size_t bytes);
