/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An allocator to be preloaded behind the recorder, like jemalloc and its kind: its operator new does not
 * pass its malloc, nothing is ever given back, and to tell the size of a block it first makes an object by
 * operator new. What alloc_cpp allocates must be counted once each.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HIDE __attribute__((no_instrument_function))

static _Alignas(64) char pool[64 << 20];
static size_t used;

static HIDE void *take(size_t bytes, size_t align)
{
	size_t room = bytes + align + sizeof(size_t),
	       begin = __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);
	char *block;

	if (bytes > sizeof(pool) || begin + room > sizeof(pool))
		return NULL;
	block = (char *)(((uintptr_t)pool + begin + sizeof(size_t) + align - 1) & ~(uintptr_t)(align - 1));
	memcpy(block - sizeof(size_t), &bytes, sizeof(bytes));
	return block;
}

HIDE void *_Znwm(size_t bytes)
{
	return take(bytes, 16);
}

/* By its name: whose operator new comes first is called. */
HIDE size_t malloc_usable_size(void *block)
{
	static void *teller;
	size_t bytes = 0;

	if (!teller)
		teller = _Znwm(100);
	if (block)
		memcpy(&bytes, (char *)block - sizeof(size_t), sizeof(bytes));
	return bytes;
}

HIDE void *malloc(size_t bytes)
{
	return take(bytes, 16);
}

HIDE void *calloc(size_t count, size_t bytes)
{
	return take(count * bytes, 16);
}

HIDE void free(void *block)
{
}

HIDE void *realloc(void *block, size_t bytes)
{
	size_t old = malloc_usable_size(block);
	void *moved = take(bytes, 16);

	return moved && block ? memcpy(moved, block, old < bytes ? old : bytes) : moved;
}

HIDE int posix_memalign(void **block, size_t align, size_t bytes)
{
	*block = take(bytes, align);
	return *block ? 0 : 12;
}

HIDE void *aligned_alloc(size_t align, size_t bytes)
{
	return take(bytes, align);
}

/* operator new and delete, by their symbols. */
HIDE void *_Znam(size_t bytes)
{
	return take(bytes, 16);
}

HIDE void *_ZnwmSt11align_val_t(size_t bytes, size_t align)
{
	return take(bytes, align);
}

HIDE void _ZdlPv(void *block)
{
}

HIDE void _ZdaPv(void *block)
{
}

HIDE void _ZdlPvm(void *block, size_t bytes)
{
}
