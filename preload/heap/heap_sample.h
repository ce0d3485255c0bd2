/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INSIDEME_HEAP_SAMPLE in programs without hooks: the stack of some allocations is taken. Its functions
 * become nodes of the thread's call tree, and the counters of the innermost one are extrapolated. The blocks
 * are in the map of live blocks until they are freed. The sums over all allocations are counted exactly, at
 * the thread's root.
 */
#pragma once

#include "preload/heap/heap.h"

/*
 * This allocation is sampled: take its stack, and draw when the next sample is due. Callable from signal
 * handlers.
 */
void heap_sample_take(struct log_thread *thread, const void *place, uint64_t bytes, uintptr_t caller);

/*
 * Look up a block that is about to be freed: which path allocated it, if it was sampled; else @block->heap is
 * 0.
 */
static ALWAYS_INLINE void heap_sample_find(const void *place, struct block *block)
{
	struct block sampled;

	if (unlikely(live.log && blocks_may_have(place)) && blocks_take(place, &sampled) == BLOCK_DONE)
		*block = sampled;
}

/* For a sampled block: it is freed; or realloc() failed, and it lives on. */
void heap_sample_freed(struct log_thread *thread, const struct block *block);
void heap_sample_put_back(struct log_thread *thread, const struct block *block);

static ALWAYS_INLINE void heap_sample_allocated(struct log_thread *thread, const void *place, uint64_t bytes,
						uintptr_t caller)
{
	thread->heap_last_addr = (uint64_t)place;
	add_own(&thread->heap_sample_left_bytes, -(long)bytes);
	if (unlikely(thread->heap_sample_left_bytes < 0))
		heap_sample_take(thread, place, bytes, caller);
}
