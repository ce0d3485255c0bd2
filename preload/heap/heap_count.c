/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting allocations and frees: the rare cases. With live blocks each free finds the path that allocated
 * the block. Without them the bytes that the allocator gave are counted, in the program's or the thread's own
 * record, and for some blocks the stack is taken.
 */
#include "preload/heap/heap_count.h"

#include "preload/heap/heap_sample.h"

__thread struct heap_new heap_new;

/* ---- live blocks ---- */

/* The block lives no longer: count that at its path, if that is in this log. */
static void release(struct log_thread *thread, const struct block *block)
{
	struct log_heap *heap = log_at(live.log, block->heap);
	uint64_t bytes = block->bytes << block->shift, blocks = 1ull << block->shift;

	if (block->heap) {
		heap_release(thread, heap, (struct heap_released){ blocks, bytes, block->birth });
		if (block->is_runtimes)
			heap_count_runtimes(heap, 0 - blocks, 0 - bytes);
		if (block->addr == thread->heap_last_addr) {
			thread->heap_last_addr = 0;
			add_own(&heap->temporary_calls, 1);
		}
	}
	heap_change(thread, -(long)bytes);
}

/*
 * Return: whether the block is counted. A block that is not in the map is not, because its free would not be
 * noticed.
 */
static bool enter(struct log_header *log, struct log_thread *thread, const struct block *block)
{
	struct block replaced;
	enum block_result result = blocks_put(block, &replaced);

	if (result == BLOCK_REPLACED)
		release(thread, &replaced);
	if (result == BLOCK_LOST)
		log_lose(log, LOG_LOST_HEAP_CALLS);
	return result != BLOCK_LOST;
}

/* @first: the path's first record. */
static void allocated_live(struct log_thread *thread, struct log_heap *first, void *place, uint64_t bytes,
			   uintptr_t caller)
{
	struct log_header *log = live.log;
	struct log_heap *heap = heap_of_caller(thread, first, heap_caller(caller));
	struct block block = { .addr = (uint64_t)place, .bytes = bytes, .heap = log_ref(log, heap),
			       .birth = heap_birth_at(log, heap_newest_ticks(log, thread)) };

	if (thread->heap_inside || heap_may_be_runtimes(thread, caller))
		block.is_runtimes = runtimes_keep(caller) || runtimes_hold(caller);
	else if (!heap->is_usual && heap->caller_addr == heap_caller(caller))
		heap->is_usual = 1;
	if (!enter(log, thread, &block))
		return;
	if (block.is_runtimes)
		heap_count_runtimes(heap, 1, bytes);
	heap_before_change(log, heap);
	if (bytes > heap->largest_bytes)
		heap_raise_largest(heap, bytes);
	heap_add_allocated(thread, heap, &block);
	heap_change(thread, 0);
}

static bool take_live(struct log_header *log, const void *place, struct block *block)
{
	enum block_result result = log ? blocks_take(place, block) : BLOCK_LOST;

	if (result == BLOCK_UNKNOWN)
		__atomic_fetch_add(&log->heap_unknown_frees, 1, __ATOMIC_RELAXED);
	return result == BLOCK_DONE;
}

/* ---- without ---- */

static ALWAYS_INLINE void allocated_counted(struct log_thread *thread, struct log_heap *heap, void *place,
					    uintptr_t caller)
{
	uint64_t bytes = heap_block_bytes(thread, place);

	add_own(&heap->alloc_calls, 1);
	add_own(&heap->alloc_bytes, (long)bytes);
	if (unlikely(bytes > heap->largest_bytes))
		heap_raise_largest(heap, bytes);
	if (live.heap == HEAP_SAMPLED)
		heap_sample_allocated(thread, place, bytes, caller);
	heap_change(thread, (long)bytes);
}

/* ---- both ---- */

/* Does the entry belong to a log that counts live blocks? */
static ALWAYS_INLINE bool is_live(const struct log_thread *thread)
{
	return likely(live.log && live.heap == HEAP_LIVE && thread != &heap_early);
}

static NOINLINE void allocated_otherwise(struct log_thread *thread, void *place, uint64_t bytes,
					 uintptr_t caller)
{
	struct log_heap *heap = heap_record(thread);

	if (!heap)
		return;
	if (!place)
		add_own(&heap->failed_calls, 1);
	else if (is_live(thread))
		allocated_live(thread, heap, place, bytes, caller);
	else if (live.heap != HEAP_LIVE)
		allocated_counted(thread, heap, place, caller);
}

void heap_allocated(struct log_thread *thread, void *place, uint64_t bytes, uintptr_t caller)
{
	if (!is_live(thread) || thread->heap_inside ||
	    !heap_allocated_at_once(thread, heap_any_usual_record(live.log, thread, caller), place, bytes))
		allocated_otherwise(thread, place, bytes, caller);
}

bool heap_take(struct log_thread *thread, void *place, struct block *block)
{
	if (likely(live.heap == HEAP_LIVE))
		return take_live(live.log, place, block);
	*block = (struct block){ .addr = (uint64_t)place, .bytes = heap_block_bytes(thread, place) };
	if (live.heap == HEAP_SAMPLED)
		heap_sample_find(place, block);
	return true;
}

void heap_put_back(struct log_thread *thread, const struct block *block)
{
	struct log_header *log = live.log;

	if (live.heap != HEAP_LIVE)
		heap_sample_put_back(thread, block);
	else if (log && !enter(log, thread, block))
		release(thread, block);
}

void heap_freed(struct log_thread *thread, const struct block *block)
{
	bool knows_live = live.heap == HEAP_LIVE;
	struct log_heap *heap = heap_record(thread);
	uint32_t shift = knows_live ? block->shift : 0;

	if (knows_live && live.log)
		release(thread, block);
	else if (unlikely(block->heap))
		heap_sample_freed(thread, block);
	if (unlikely(!heap))
		return;
	add_own(&heap->free_calls, 1l << shift);
	add_own(&heap->freed_bytes, (long)(block->bytes << shift));
	if (!knows_live)
		heap_change(thread, -(long)block->bytes);
}

static NOINLINE void free_otherwise(struct log_thread *thread, void *place)
{
	struct block block;

	if (heap_take(thread, place, &block))
		heap_freed(thread, &block);
}

void heap_free(struct log_thread *thread, void *place)
{
	if (!is_live(thread) || !heap_freed_at_once(thread, place))
		free_otherwise(thread, place);
}
