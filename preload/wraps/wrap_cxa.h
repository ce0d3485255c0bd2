/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++ exceptions, from throw to catch. */
#ifndef INSIDEME_WRAP_CXA_H
#define INSIDEME_WRAP_CXA_H

#include <stdint.h>

/* After real_init(), before any thread. */
void exceptions_init(void);

/*
 * What the newest handler that the calling thread runs has caught, as the C++ library of the code at @caller knows it, or
 * NULL. *@type: its mangled name; *@message: what it says, NULL: not known.
 */
void *exception_caught(uintptr_t caller, const char **type, const char **message);

#endif
