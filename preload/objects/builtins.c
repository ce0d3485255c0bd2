/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions that gcc calls on its own, to fill or copy a large struct. They are ours and hidden:
 * libc's may be a sanitizer's, which needs thread-local state that the sampling task does not have.
 */
#include <stddef.h>

#include "preload/common/base/compiler.h"

HIDDEN void *memset(void *to, int byte, size_t bytes);
HIDDEN void *memset(void *to, int byte, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = (char)byte;
	return to;
}

HIDDEN void *memcpy(void *to, const void *from, size_t bytes);
HIDDEN void *memcpy(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}
