/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whose blocks are nobody's leak: the dynamic linker's, buffers of stdio, and what the runtimes of C, C++ and Fortran
 * keep from before the program's first function.
 */
#ifndef INSIDEME_RUNTIME_RANGES_H
#define INSIDEME_RUNTIME_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

/* Constructor only. */
void runtimes_init(void);

struct runtime_range {
	uintptr_t begin;
	uintptr_t bytes;
};
extern HIDDEN struct runtime_range runtimes_linker, runtimes_buffers;	/* set before any thread */

/* Does code of a runtime lie at @addr? */
bool runtimes_hold(uintptr_t addr);

/* Keeps the function that calls the allocator at @caller its blocks for itself, whoever called that? */
static ALWAYS_INLINE bool runtimes_keep(uintptr_t caller)
{
	return caller - runtimes_linker.begin < runtimes_linker.bytes || caller - runtimes_buffers.begin < runtimes_buffers.bytes;
}

#endif
