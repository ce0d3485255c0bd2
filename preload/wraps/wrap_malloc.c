/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of the malloc family. errno stays as the real function set it. A call that is not counted is a
 * tail call, because leak checkers look at the caller.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "preload/heap/heap_count.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))

static NOINLINE void *counted(void *block, size_t bytes, uintptr_t caller)
{
	struct log_thread *thread = heap_thread();

	if (thread)
		heap_allocated(thread, block, bytes, caller);
	return block;
}

static NOINLINE void *malloc_counted(void *block, size_t bytes, uintptr_t caller)
{
	while (!block && heap_make_room(bytes))
		block = real.malloc(bytes);
	return counted(block, bytes, caller);
}

/* A product that no block can have, where it overflows. */
static ALWAYS_INLINE size_t product_of(size_t count, size_t bytes)
{
	size_t product;

	return __builtin_mul_overflow(count, bytes, &product) ? SIZE_MAX : product;
}

static NOINLINE void *malloc_otherwise(size_t bytes, uintptr_t caller)
{
	struct log_thread *thread;
	void *block;

	if (unlikely(!heap_is_counted())) {
		heap_not_counted();
		return real_malloc(bytes);
	}
	block = real.malloc(bytes);
	thread = heap_counting_thread();
	if (likely(block && thread && heap_count_allocated(thread, block)))
		return block;
	return malloc_counted(block, bytes, caller);
}

EXPORT void *malloc(size_t bytes)
{
	struct log_thread *thread;
	struct log_heap *heap;
	void *block;

	if (unlikely(live.heap != HEAP_LIVE))
		return malloc_otherwise(bytes, CALLER);
	block = real.malloc(bytes);
	thread = heap_live_thread();
	if (likely(thread)) {
		heap = heap_usual_record(live.log, thread, CALLER);
		if (likely(heap_allocated_at_once(thread, heap, block, bytes)))
			return block;
	}
	return malloc_counted(block, bytes, CALLER);
}

EXPORT void *calloc(size_t count, size_t bytes)
{
	void *block;

	if (unlikely(!heap_is_counted())) {
		heap_not_counted();
		return real.calloc ? real.calloc(count, bytes) : bootstrap_calloc(count, bytes);
	}
	block = real.calloc(count, bytes);
	while (unlikely(!block) && heap_make_room(product_of(count, bytes)))
		block = real.calloc(count, bytes);
	return counted(block, count * bytes, CALLER);
}

static NOINLINE void free_otherwise(void *block)
{
	const bool is_real = block && !bootstrap_owns(block);
	struct log_thread *thread = is_real ? heap_counting_thread() : NULL;

	if (!thread || !heap_count_freed(thread, block)) {
		thread = is_real ? heap_thread() : NULL;
		if (thread)
			heap_free(thread, block);
	}
	real_free(block);
}

/* Counted before the real free: afterwards the block may already belong to another thread. */
EXPORT void free(void *block)
{
	struct log_thread *thread = heap_live_thread();

	if (likely(thread && heap_freed_at_once(thread, block)))
		real.free(block);
	else
		free_otherwise(block);
}

/* The block that a realloc() is about to move. */
struct moving {
	struct log_thread *thread;
	struct block block;
	bool is_counted;
};

static void move_begin(struct moving *moving, struct log_thread *thread, void *block)
{
	moving->thread = thread;
	moving->is_counted = block && heap_take(thread, block, &moving->block);
}

/*
 * Count a free and an allocation, or a failure, which leaves the block as it was. With size 0 it may be only
 * a free.
 */
static void *move_end(struct moving *moving, void *moved, size_t bytes, bool is_free, uintptr_t caller)
{
	if (moving->is_counted && (moved || is_free))
		heap_freed(moving->thread, &moving->block);
	else if (moving->is_counted)
		heap_put_back(moving->thread, &moving->block);
	if (moved || !is_free)
		heap_allocated(moving->thread, moved, bytes, caller);
	return moved;
}

EXPORT void *realloc(void *block, size_t bytes)
{
	struct log_thread *thread;
	struct moving moving;
	void *moved;

	if (unlikely(!real.realloc || bootstrap_owns(block)))
		return bootstrap_realloc(block, bytes);
	thread = heap_thread();
	if (!thread)
		return real.realloc(block, bytes);
	move_begin(&moving, thread, block);
	moved = real.realloc(block, bytes);
	while (unlikely(!moved) && bytes && heap_make_room(bytes))
		moved = real.realloc(block, bytes);
	return move_end(&moving, moved, bytes, block && !bytes, CALLER);
}

EXPORT void *reallocarray(void *block, size_t count, size_t bytes)
{
	struct log_thread *thread;
	struct moving moving;
	void *moved;
	size_t product;

	if (unlikely(!real.reallocarray || bootstrap_owns(block)))
		return __builtin_mul_overflow(count, bytes, &product) ? NULL
								      : bootstrap_realloc(block, product);
	thread = heap_begin((void *)real.reallocarray);
	if (!thread)
		return real.reallocarray(block, count, bytes);
	move_begin(&moving, thread, block);
	do
		moved = real.reallocarray(block, count, bytes);
	while (unlikely(!moved) && count && bytes && heap_make_room(product_of(count, bytes)));
	heap_end(thread);
	return move_end(&moving, moved, count * bytes, block && (!count || !bytes), CALLER);
}

/* ---- aligned ---- */

/* Is a call that returned @block to be made once more? Not if its alignment may be why it failed. */
static ALWAYS_INLINE bool is_repeated(const void *block, size_t align, size_t bytes)
{
	return unlikely(!block) && !(align & (align - 1)) && heap_make_room(align | bytes);
}

static NOINLINE void *aligned(struct log_thread *thread, void *block, size_t bytes, uintptr_t caller)
{
	heap_end(thread);
	heap_allocated(thread, block, bytes, caller);
	return block;
}

EXPORT int posix_memalign(void **block, size_t align, size_t bytes)
{
	struct log_thread *thread;
	int error;

	if (unlikely(!real_find(posix_memalign)))
		return (*block = bootstrap_aligned(align, bytes)) ? 0 : ENOMEM;
	thread = heap_begin((void *)real.posix_memalign);
	if (!thread)
		return real.posix_memalign(block, align, bytes);
	do
		error = real.posix_memalign(block, align, bytes);
	while (unlikely(error == ENOMEM) && heap_make_room(align | bytes));
	aligned(thread, error ? NULL : *block, bytes, CALLER);
	return error;
}

EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	struct log_thread *thread;
	void *block;

	if (unlikely(!real_find(aligned_alloc)))
		return bootstrap_aligned(align, bytes);
	thread = heap_begin((void *)real.aligned_alloc);
	if (!thread)
		return real.aligned_alloc(align, bytes);
	do
		block = real.aligned_alloc(align, bytes);
	while (is_repeated(block, align, bytes));
	return aligned(thread, block, bytes, CALLER);
}

EXPORT void *memalign(size_t align, size_t bytes)
{
	struct log_thread *thread;
	void *block;

	if (unlikely(!real_find(memalign)))
		return bootstrap_aligned(align, bytes);
	thread = heap_begin((void *)real.memalign);
	if (!thread)
		return real.memalign(align, bytes);
	do
		block = real.memalign(align, bytes);
	while (is_repeated(block, align, bytes));
	return aligned(thread, block, bytes, CALLER);
}

EXPORT void *valloc(size_t bytes)
{
	struct log_thread *thread;

	if (unlikely(!real_find(valloc)))
		return bootstrap_aligned(EARLY_PAGE_BYTES, bytes);
	thread = heap_begin((void *)real.valloc);
	return thread ? aligned(thread, real.valloc(bytes), bytes, CALLER) : real.valloc(bytes);
}

EXPORT void *pvalloc(size_t bytes)
{
	struct log_thread *thread;

	if (unlikely(!real_find(pvalloc)))
		return bootstrap_aligned(EARLY_PAGE_BYTES,
					 (bytes + EARLY_PAGE_BYTES - 1) & ~(EARLY_PAGE_BYTES - 1ul));
	thread = heap_begin((void *)real.pvalloc);
	return thread ? aligned(thread, real.pvalloc(bytes), bytes, CALLER) : real.pvalloc(bytes);
}

/* ---- C23; a libc without them is served by its free() ---- */

static void freed(struct log_thread *thread, void *block)
{
	if (thread && block)
		heap_free(thread, block);
}

EXPORT void free_sized(void *block, size_t bytes);
EXPORT void free_sized(void *block, size_t bytes)
{
	struct log_thread *thread;

	if (!real.free_sized || bootstrap_owns(block)) {
		free(block);
		return;
	}
	thread = heap_begin((void *)real.free_sized);
	freed(thread, block);
	real.free_sized(block, bytes);
	heap_end(thread);
}

EXPORT void free_aligned_sized(void *block, size_t align, size_t bytes);
EXPORT void free_aligned_sized(void *block, size_t align, size_t bytes)
{
	struct log_thread *thread;

	if (!real.free_aligned_sized || bootstrap_owns(block)) {
		free(block);
		return;
	}
	thread = heap_begin((void *)real.free_aligned_sized);
	freed(thread, block);
	real.free_aligned_sized(block, align, bytes);
	heap_end(thread);
}
