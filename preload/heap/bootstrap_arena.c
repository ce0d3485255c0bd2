/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for callers that come before the allocator is known. */
#include "preload/heap/bootstrap_arena.h"

#include <stdbool.h>

LARGE char bootstrap_arena[EARLY_BYTES];
static size_t bootstrap_used; /* atomic; only grows, may pass EARLY_BYTES */

/* The size of a block, for realloc, lies in front of it. */
static size_t *size_of(void *block)
{
	return (size_t *)block - 1;
}

void *bootstrap_aligned(size_t align, size_t bytes)
{
	size_t begin, room;
	char *block;

	if (align < 16)
		align = 16;
	if (bytes > EARLY_BYTES || align > EARLY_BYTES)
		return NULL;
	room = sizeof(size_t) + align + bytes;
	begin = __atomic_fetch_add(&bootstrap_used, room, __ATOMIC_RELAXED);
	if (begin + room > EARLY_BYTES)
		return NULL;
	block = (char *)(((uintptr_t)bootstrap_arena + begin + sizeof(size_t) + align - 1) & ~(align - 1));
	*size_of(block) = bytes;
	return block;
}

void *bootstrap_malloc(size_t bytes)
{
	real_init();
	return real.malloc ? real.malloc(bytes) : bootstrap_aligned(16, bytes);
}

/* The arena is zero: it is used once. */
void *bootstrap_calloc(size_t count, size_t bytes)
{
	size_t product;

	real_init();
	if (real.calloc)
		return real.calloc(count, bytes);
	return __builtin_mul_overflow(count, bytes, &product) ? NULL : bootstrap_aligned(16, product);
}

void *bootstrap_realloc(void *block, size_t bytes)
{
	size_t old_bytes;
	char *moved;

	if (!bootstrap_owns(block)) {
		real_init();
		if (real.realloc)
			return real.realloc(block, bytes);
		if (block)
			return NULL;	/* it is not known whose it is */
	}
	moved = real_malloc(bytes);
	if (!moved || !block)
		return moved;
	old_bytes = *size_of(block);
	for (size_t i = 0; i < old_bytes && i < bytes; i++)
		moved[i] = ((char *)block)[i];
	return moved;
}

void bootstrap_free(void *block)
{
	if (!block || bootstrap_owns(block))
		return;
	real_init();
	if (real.free)
		real.free(block);
}
