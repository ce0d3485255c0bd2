/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory for callers that come before the allocator is known: a fixed arena, never given back. The names
 * real_malloc() and so on forward to the next definition where there is one.
 */
#ifndef INSIDEME_EARLY_H
#define INSIDEME_EARLY_H

#include "preload/objects/real.h"

#define EARLY_BYTES 65536
#define EARLY_PAGE_BYTES 4096
extern HIDDEN char early_arena[EARLY_BYTES];

/* A block of the arena may come back at any time, for ever. */
static ALWAYS_INLINE bool early_owns(const void *block)
{
	return (uintptr_t)block - (uintptr_t)early_arena < EARLY_BYTES;
}

/* For wrappers whose real function is NULL: looks it up once more, else serves from the arena. */
void *early_malloc(size_t bytes);
void *early_calloc(size_t count, size_t bytes);
void *early_aligned(size_t align, size_t bytes);
/* @block: NULL, of the arena, or of an allocator that is not known. */
void *early_realloc(void *block, size_t bytes);
void early_free(void *block);

static ALWAYS_INLINE void *real_malloc(size_t bytes)
{
	return likely(real.malloc) ? real.malloc(bytes) : early_malloc(bytes);
}

static ALWAYS_INLINE void real_free(void *block)
{
	if (likely(real.free && !early_owns(block)))
		real.free(block);
	else
		early_free(block);
}

#endif
