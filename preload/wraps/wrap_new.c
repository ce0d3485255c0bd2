/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wrappers of C++ operator new and delete, by their symbols. Most of these operators forward to malloc and
 * free, whose wrappers count. Those of jemalloc, tcmalloc and mimalloc do not, and are counted here. A C
 * program has none until it loads a plugin.
 */
#include <stdlib.h>

#include "preload/heap/heap_count.h"

/* The thread before a call of operator new, to see whether malloc's wrapper counted the block. */
struct new_call {
	struct log_thread *thread;	/* NULL: not counted here */
	int64_t heap_bytes;
};

/* operator new may throw through this wrapper, so nothing is set here that must be reset later. */
static ALWAYS_INLINE struct new_call new_begin(const void *function, uintptr_t caller)
{
	struct new_call call = { .thread = NULL };

	heap_new = (struct heap_new){ (uintptr_t)function, heap_caller(caller) };
	if (unlikely((uintptr_t)function - allocator.begin < allocator.bytes))
		call.thread = heap_thread();
	if (call.thread)
		call.heap_bytes = call.thread->heap_bytes;
	return call;
}

static NOINLINE void *new_end(struct new_call call, void *block, size_t bytes, uintptr_t caller)
{
	if (call.heap_bytes == call.thread->heap_bytes)
		heap_allocated(call.thread, block, bytes, caller);
	return block;
}

static ALWAYS_INLINE struct log_thread *delete_begin(const void *function, void *block)
{
	struct log_thread *thread = block ? heap_begin(function) : NULL;

	if (unlikely(thread))
		heap_free(thread, block);
	return thread;
}

/*
 * Twenty functions that differ only in name and arguments: the one place where macros write functions.
 * @otherwise: the result if no library defines the function. Then only a weak symbol can have called it.
 */
#define WRAP_NEW(symbol, otherwise, values, ...)                                                        \
	EXPORT void *symbol(__VA_ARGS__);                                                               \
	EXPORT void *symbol(__VA_ARGS__)                                                                \
	{                                                                                               \
		struct new_call call = new_begin((const void *)real_find(symbol),                       \
						 (uintptr_t)__builtin_return_address(0));               \
                                                                                                        \
		if (unlikely(!real.symbol))                                                             \
			return otherwise;                                                               \
		return unlikely(call.thread) ?                                                          \
			new_end(call, real.symbol values, bytes, (uintptr_t)__builtin_return_address(0)) : \
			real.symbol values;                                                             \
	}

#define WRAP_DELETE(symbol, values, ...)                                                                \
	EXPORT void symbol(__VA_ARGS__);                                                                \
	EXPORT void symbol(__VA_ARGS__)                                                                 \
	{                                                                                               \
		struct log_thread *thread = delete_begin((const void *)real_find(symbol), block); \
                                                                                                        \
		if (unlikely(thread)) {                                                                 \
			real.symbol values;                                                             \
			heap_end(thread);                                                               \
		} else if (likely(real.symbol)) {                                                       \
			real.symbol values;                                                             \
		} else {                                                                                \
			free(block);                                                                    \
		}                                                                                       \
	}

#define PLAIN malloc(bytes)
#define ALIGNED aligned_alloc(align, bytes)

WRAP_NEW(_Znwm, PLAIN, (bytes), size_t bytes)
WRAP_NEW(_Znam, PLAIN, (bytes), size_t bytes)
WRAP_NEW(_ZnwmRKSt9nothrow_t, PLAIN, (bytes, tag), size_t bytes, const void *tag)
WRAP_NEW(_ZnamRKSt9nothrow_t, PLAIN, (bytes, tag), size_t bytes, const void *tag)
WRAP_NEW(_ZnwmSt11align_val_t, ALIGNED, (bytes, align), size_t bytes, size_t align)
WRAP_NEW(_ZnamSt11align_val_t, ALIGNED, (bytes, align), size_t bytes, size_t align)
WRAP_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, ALIGNED, (bytes, align, tag), size_t bytes, size_t align,
	 const void *tag)
WRAP_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, ALIGNED, (bytes, align, tag), size_t bytes, size_t align,
	 const void *tag)

WRAP_DELETE(_ZdlPv, (block), void *block)
WRAP_DELETE(_ZdaPv, (block), void *block)
WRAP_DELETE(_ZdlPvm, (block, bytes), void *block, size_t bytes)
WRAP_DELETE(_ZdaPvm, (block, bytes), void *block, size_t bytes)
WRAP_DELETE(_ZdlPvRKSt9nothrow_t, (block, tag), void *block, const void *tag)
WRAP_DELETE(_ZdaPvRKSt9nothrow_t, (block, tag), void *block, const void *tag)
WRAP_DELETE(_ZdlPvSt11align_val_t, (block, align), void *block, size_t align)
WRAP_DELETE(_ZdaPvSt11align_val_t, (block, align), void *block, size_t align)
WRAP_DELETE(_ZdlPvmSt11align_val_t, (block, bytes, align), void *block, size_t bytes, size_t align)
WRAP_DELETE(_ZdaPvmSt11align_val_t, (block, bytes, align), void *block, size_t bytes, size_t align)
WRAP_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (block, align, tag), void *block, size_t align,
	    const void *tag)
WRAP_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (block, align, tag), void *block, size_t align,
	    const void *tag)
