/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that an ELF file names. No libc. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * @file: its source file, as the compiler recorded it; NULL: not known.
 *   @value, @bytes: the function's address in the file, and how long its code is.
 */
typedef void symbol_each(const char *name, const char *file, uint64_t value, uint64_t bytes, void *context);

/*
 * Call @each for every function that .symtab, or in a stripped file .dynsym, of the ELF file at
 * @path names. Damaged entries are left out. The file is read, with signals blocked, not mapped: it may be
 * cut meanwhile. @wants_files: read the debug information for their source files; without it only those of
 * static functions are known. Return: 0, SYMBOLS_WITH_FILES if it was read, or -errno.
 */
#define SYMBOLS_WITH_FILES 1
int symbol_file_each(const char *path, bool wants_files, symbol_each *each, void *context);
