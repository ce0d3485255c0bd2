/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the type and message of a C++ exception, without the program's C++ library and without running the
 * program's code.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct type_info;	/* of the C++ ABI */

/* The type's mangled name. */
const char *type_name(const struct type_info *type);

/*
 * what() of a @thrown object of that type. NULL: it has none (it is not a std::exception), or it may not be
 * called: *@is_own is set if it is a function of the program and @calls_own is false.
 */
const char *what_of(void *thrown, const struct type_info *type, bool calls_own, bool *is_own);

/* Is it code of a shared C++ library? */
bool what_is_of_library(uintptr_t addr);
