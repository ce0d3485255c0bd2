/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for callers that come before the allocator is known: a fixed arena, never given back. The names
 * real_malloc() and so on forward to the next definition where there is one.
 */
#pragma once

#include "preload/objects/next_functions.h"

#define EARLY_BYTES 65536
#define EARLY_PAGE_BYTES 4096
extern HIDDEN char bootstrap_arena[EARLY_BYTES];

/* A block of the arena may come back at any time, for ever. */
static ALWAYS_INLINE bool bootstrap_owns(const void *block)
{
	return (uintptr_t)block - (uintptr_t)bootstrap_arena < EARLY_BYTES;
}

/* For wrappers whose real function is NULL: looks it up once more, else serves from the arena. */
void *bootstrap_malloc(size_t bytes);
void *bootstrap_calloc(size_t count, size_t bytes);
void *bootstrap_aligned(size_t align, size_t bytes);
/* @block: NULL, of the arena, or of an allocator that is not known. */
void *bootstrap_realloc(void *block, size_t bytes);
void bootstrap_free(void *block);

static ALWAYS_INLINE void *real_malloc(size_t bytes)
{
	return likely(real.malloc) ? real.malloc(bytes) : bootstrap_malloc(bytes);
}

static ALWAYS_INLINE void real_free(void *block)
{
	if (likely(real.free && !bootstrap_owns(block)))
		real.free(block);
	else
		bootstrap_free(block);
}
