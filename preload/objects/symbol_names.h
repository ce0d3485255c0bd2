/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of symbols as people write them. Pure functions without libc. */
#ifndef INSIDEME_SYMBOL_NAMES_H
#define INSIDEME_SYMBOL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * "Class::method" of a C++ symbol, without parameters and template arguments; "module::procedure" of gfortran's.
 * Return: false where it is neither, or is one that needs a real demangler (operators, substitutions but std).
 */
bool symbol_plain_name(const char *symbol, char *name, size_t bytes);

#endif
