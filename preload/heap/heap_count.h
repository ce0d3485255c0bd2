/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting what the allocator does. All may be called from signal handlers. */
#pragma once

#include "preload/calls/calls.h"
#include "preload/heap/heap.h"
#include "preload/objects/loaded_objects.h"

/* The allocator returned @place for @bytes, or NULL if it failed. @caller: where the program called it. */
void heap_allocated(struct log_thread *thread, void *place, uint64_t bytes, uintptr_t caller);
/* Before a block goes to the real free. */
void heap_free(struct log_thread *thread, void *place);

/*
 * The same in two steps, for a realloc(): heap_take() finds the block and returns whether it counts. Then
 * heap_freed() counts it. If the realloc() failed, heap_put_back() notes that the block lives on.
 */
bool heap_take(struct log_thread *thread, void *place, struct block *block);
void heap_freed(struct log_thread *thread, const struct block *block);
void heap_put_back(struct log_thread *thread, const struct block *block);

/*
 * The calling thread's last operator new: its code, and where the program called it. Its allocations count
 * for its caller.
 */
#define HEAP_NEW_BYTES 256u /* of its code, at most, until it calls malloc */
struct heap_new {
	uintptr_t function;
	uintptr_t caller;
};
extern HIDDEN __thread struct heap_new heap_new TLS_INITIAL_EXEC;

/* The place in the program, if @caller called the allocator. */
static ALWAYS_INLINE uintptr_t heap_caller(uintptr_t caller)
{
	return unlikely(caller - heap_new.function < HEAP_NEW_BYTES) ? heap_new.caller : caller;
}

/* ---- the usual cases, where live blocks are known ---- */

/* May this be a block that the function at @caller allocates for the runtimes themselves? */
static ALWAYS_INLINE bool heap_may_be_runtimes(const struct log_thread *thread, uintptr_t caller)
{
	return unlikely(runtimes_keep(caller)) || unlikely(!thread->nodes && thread->serial == 0);
}

/* The newest known time, without reading the clock. */
static ALWAYS_INLINE uint64_t heap_newest_ticks(const struct log_header *log, const struct log_thread *thread)
{
	uint64_t newest = log->newest_ticks, begun = top_frame(thread)->start_ticks;

	return begun > newest ? begun : newest;
}

static ALWAYS_INLINE void heap_add_allocated(struct log_thread *thread, struct log_heap *heap,
					     const struct block *block)
{
	add_own(&heap->alloc_calls, 1);
	add_own(&heap->alloc_bytes, (long)block->bytes);
	add_own(&heap->sizes[heap_size_class(block->bytes)], 1);
	add_own_u32(&heap->births[block->birth], 1);
	thread->heap_last_addr = block->addr;
	heap_add(thread, (long)block->bytes);
}

/* The record for blocks that @caller allocates on this path, if it is known to hold none of the runtimes'. */
static ALWAYS_INLINE struct log_heap *heap_usual_record(const struct log_header *log,
							const struct log_thread *thread, uintptr_t caller)
{
	uint32_t ref = node_at(log, thread->current)->heap;
	struct log_heap *heap = log_at(log, ref);
	uint64_t bits;

	if (unlikely(!ref))
		return NULL;
	if (heap->caller_addr != caller) {
		caller = heap_caller(caller);
		for (bits = heap_caller_hash(caller); heap->caller_addr != caller; bits <<= 1) {
			ref = heap->others[bits >> 63];
			if (unlikely(!ref))
				return NULL;
			heap = log_at(log, ref);
		}
	}
	return likely(heap->is_usual) ? heap : NULL;
}

/* The same for any place where the path allocates. */
static ALWAYS_INLINE struct log_heap *heap_any_usual_record(const struct log_header *log,
							    struct log_thread *thread, uintptr_t caller)
{
	const uint32_t ref = node_at(log, thread->current)->heap;
	struct log_heap *heap = ref ? heap_of_caller(thread, log_at(log, ref), heap_caller(caller)) : NULL;

	return likely(heap && !heap_may_be_runtimes(thread, caller)) ? heap : NULL;
}

/* Count an allocation, if nothing rare is due and @heap is not NULL. Return: false: nothing has changed. */
static ALWAYS_INLINE bool heap_allocated_at_once(struct log_thread *thread, struct log_heap *heap,
						 void *place, uint64_t bytes)
{
	const struct log_header *log = live.log;
	uint64_t birth = __atomic_load_n(&heap_birth, __ATOMIC_RELAXED);
	struct block block = { .addr = (uint64_t)place, .bytes = bytes, .heap = log_ref(log, heap),
			       .birth = birth % LOG_HEAP_BIRTHS };

	if (unlikely(!heap || heap_newest_ticks(log, thread) >= birth || heap_has_peaked(log, heap) ||
		     bytes > heap->largest_bytes || !heap_may_hold(thread, (long)bytes) ||
		     !blocks_put_at_once(&block)))
		return false;
	heap_add_allocated(thread, heap, &block);
	return true;
}

/* The same for a free of a block that this thread allocated. */
static ALWAYS_INLINE bool heap_freed_at_once(struct log_thread *thread, void *place)
{
	struct log_header *log = live.log;
	const struct log_node *node = node_at(log, thread->current);
	struct log_heap *heap, *freeing = log_at(log, node->heap);
	struct place entry;
	struct block block;

	if (unlikely(!node->heap || !blocks_find_usual(place, &entry, &block)))
		return false;
	heap = log_at(log, block.heap);
	if (unlikely(heap->thread != thread->head.self || heap_is_at_peak(log, thread) ||
		     heap_has_peaked(log, heap) || !heap_may_hold(thread, -(long)block.bytes)))
		return false;
	blocks_drop(&entry);
	heap_add_released(heap, (struct heap_released){ 1, block.bytes, block.birth });
	if (block.addr == thread->heap_last_addr) {
		thread->heap_last_addr = 0;
		add_own(&heap->temporary_calls, 1);
	}
	heap_add(thread, -(long)block.bytes);
	add_own(&freeing->free_calls, 1);
	add_own(&freeing->freed_bytes, (long)block.bytes);
	return true;
}

/* ---- the usual cases, where there are only counters ---- */

/* The calling thread, where each block has the size that glibc gave it; else NULL. */
static ALWAYS_INLINE struct log_thread *heap_counting_thread(void)
{
	struct log_thread *thread = self;

	return likely(live.heap == HEAP_COUNTERS && allocator.is_libcs && live.log && thread &&
		      !thread->heap_inside)
		       ? thread
		       : NULL;
}

/* The record of the thread's path, if it may count so many bytes more or less; else NULL. */
static ALWAYS_INLINE struct log_heap *heap_ready(const struct log_thread *thread, long bytes)
{
	struct log_header *log = live.log;
	const uint32_t ref = node_at(log, thread->current)->heap;

	return likely(ref && heap_may_hold(thread, bytes)) ? log_at(log, ref) : NULL;
}

/* Return: false: something rare is to be done, and nothing has changed. */
static ALWAYS_INLINE bool heap_count_allocated(struct log_thread *thread, void *place)
{
	const uint64_t bytes = real.malloc_usable_size(place);
	struct log_heap *heap = heap_ready(thread, (long)bytes);

	if (unlikely(!heap || bytes > heap->largest_bytes))
		return false;
	add_own(&heap->alloc_calls, 1);
	add_own(&heap->alloc_bytes, (long)bytes);
	heap_add(thread, (long)bytes);
	return true;
}

static ALWAYS_INLINE bool heap_count_freed(struct log_thread *thread, void *place)
{
	const uint64_t bytes = real.malloc_usable_size(place);
	struct log_heap *heap = heap_ready(thread, -(long)bytes);

	if (unlikely(!heap))
		return false;
	add_own(&heap->free_calls, 1);
	add_own(&heap->freed_bytes, (long)bytes);
	heap_add(thread, -(long)bytes);
	return true;
}
