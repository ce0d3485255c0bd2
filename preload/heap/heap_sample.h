/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs without hooks, with INSIDEME_HEAP_SAMPLE: of some allocations the stack is taken, whose functions
 * become nodes of the thread's call tree, and the counters of the innermost one are extrapolated. The blocks
 * are in the map of live ones until they are freed. What all allocations bring is counted exactly, at the
 * thread's root.
 */
#pragma once

#include "preload/heap/heap.h"

/*
 * This allocation is the one: take its stack, and draw when the next one comes. Callable from signal
 * handlers.
 */
void heap_sample_take(struct log_thread *thread, const void *place, uint64_t bytes, uintptr_t caller);

/* A block that is about to be freed: who allocated it, where it was sampled; else @block->heap is 0. */
static ALWAYS_INLINE void heap_sample_find(const void *place, struct block *block)
{
	struct block sampled;

	if (unlikely(live.log && blocks_may_have(place)) && blocks_take(place, &sampled) == BLOCK_DONE)
		*block = sampled;
}

/* Of one that was: it is freed; or realloc() failed, and it lives on. */
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
