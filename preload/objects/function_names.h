/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of symbols as people write them. Pure functions without libc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "Class::method" for a C++ symbol, without parameters and template arguments; "module::procedure" for one of
 * gfortran's; "{lambda()#1}" where there is no identifier. Pure. Return: false if it is neither, or needs a
 * real demangler (repeated types).
 */
bool symbol_plain_name(const char *symbol, char *name, size_t bytes);
/* The same for C++, with template arguments: "Grid<double, 5>::step". */
bool symbol_short_name(const char *symbol, char *name, size_t bytes);
