/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that an object's file names: those of .symtab or, where it is stripped, of .dynsym. */
#ifndef INSIDEME_SYMBOL_FILE_H
#define INSIDEME_SYMBOL_FILE_H

#include <stdint.h>

/* @file: the source of a static function, as the compiler named it; NULL: not known. @value: its address in the file. */
typedef void symbol_each(const char *name, const char *file, uint64_t value, void *context);

/*
 * Call @each for every function of the ELF file at @path. What is damaged is left out. It reads rather than maps the file,
 * which may be cut short meanwhile, with signals blocked. Return: 0, or -errno
 */
int symbol_file_each(const char *path, symbol_each *each, void *context);

#endif
