/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting allocations and frees. With live blocks each free finds the path that allocated the block. Without them what the
 * allocator gave is counted, in the program's or the thread's own record, and of some blocks the stack is taken.
 */
#include "preload/calls/calls.h"
#include "preload/heap/heap_sample.h"
#include "preload/objects/loaded_objects.h"

/* ---- live blocks ---- */

static ALWAYS_INLINE bool is_runtimes(const struct log_thread *thread, uintptr_t caller)
{
	if (unlikely(runtimes_keep(caller)))
		return true;
	return unlikely(!thread->nodes && thread->serial == 0) && runtimes_hold(caller);
}

/* By the newest reading of the clock that costs nothing. */
static ALWAYS_INLINE uint8_t birth_now(const struct log_header *log, const struct log_thread *thread)
{
	uint64_t newest = log->newest_ticks, begun = top_frame(thread)->start_ticks;

	return heap_birth_at(log, begun > newest ? begun : newest);
}

/* The block is no more among the live ones of its path, if that is of this log. */
static ALWAYS_INLINE void release(const struct log_header *log, struct log_thread *thread, const struct block *block)
{
	struct log_heap *heap = log_at(log, block->heap);
	uint64_t bytes = block->bytes << block->shift;
	uint32_t blocks = 1u << block->shift;

	if (unlikely(!block->heap)) {
		heap_change(thread, -(long)bytes);
		return;
	}
	heap_release(log, thread, heap, (struct heap_released){ blocks, bytes, block->birth });
	if (unlikely(block->is_runtimes))
		heap_count_runtimes(heap, 0 - (uint64_t)blocks, 0 - bytes);
	if (block->addr == thread->heap_last_addr) {
		thread->heap_last_addr = 0;
		add_own(&heap->temporary_calls, 1);
	}
	heap_change(thread, -(long)bytes);
}

/* A block that is not in the map is not counted as allocated: its free would not be seen. Return: whether it is counted. */
static ALWAYS_INLINE bool enter(struct log_header *log, struct log_thread *thread, const struct block *block)
{
	struct block replaced;
	enum block_result result = blocks_put(block, &replaced);

	if (unlikely(result == BLOCK_REPLACED))
		release(log, thread, &replaced);
	if (unlikely(result == BLOCK_LOST))
		log_lose(log, LOG_LOST_HEAP_CALLS);
	return likely(result != BLOCK_LOST);
}

static ALWAYS_INLINE void allocated(struct log_thread *thread, struct log_heap *heap, void *place, uint64_t bytes, uintptr_t caller)
{
	struct log_header *log = live.log;
	struct block block = { .addr = (uint64_t)place, .bytes = bytes, .heap = log_ref(log, heap),
			       .birth = birth_now(log, thread), .is_runtimes = is_runtimes(thread, caller) };

	if (unlikely(!enter(log, thread, &block)))
		return;
	heap_before_change(log, heap);
	add_own(&heap->alloc_calls, 1);
	add_own(&heap->alloc_bytes, (long)bytes);
	add_own(&heap->sizes[heap_size_class(bytes)], 1);
	add_own_u32(&heap->births[block.birth], 1);
	if (unlikely(bytes > heap->largest_bytes))
		heap_raise_largest(heap, bytes);
	if (unlikely(block.is_runtimes))
		heap_count_runtimes(heap, 1, bytes);
	thread->heap_last_addr = block.addr;
	heap_change(thread, (long)bytes);
}

static ALWAYS_INLINE bool take(struct log_header *log, const void *place, struct block *block)
{
	enum block_result result;

	if (unlikely(!log))
		return false;
	result = blocks_take(place, block);
	if (unlikely(result == BLOCK_UNKNOWN))
		__atomic_fetch_add(&log->heap_unknown_frees, 1, __ATOMIC_RELAXED);
	return likely(result == BLOCK_DONE);
}

static ALWAYS_INLINE void freed(struct log_thread *thread, const struct block *block)
{
	struct log_header *log = live.log;
	struct log_heap *heap = heap_record(thread);

	if (unlikely(!log))
		return;
	release(log, thread, block);
	if (unlikely(!heap))
		return;
	add_own(&heap->free_calls, 1l << block->shift);
	add_own(&heap->freed_bytes, (long)(block->bytes << block->shift));
}

/* ---- without ---- */

static NOINLINE void counted(struct log_thread *thread, struct log_heap *heap, void *place, uintptr_t caller)
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

static NOINLINE void take_counted(struct log_thread *thread, void *place, struct block *block)
{
	*block = (struct block){ .addr = (uint64_t)place, .bytes = heap_block_bytes(thread, place) };
	if (live.heap == HEAP_SAMPLED)
		heap_sample_find(place, block);
}

static NOINLINE void free_counted(struct log_thread *thread, const struct block *block)
{
	struct log_heap *heap = heap_record(thread);

	if (unlikely(block->heap))
		heap_sample_freed(thread, block);
	if (unlikely(!heap))
		return;
	add_own(&heap->free_calls, 1);
	add_own(&heap->freed_bytes, (long)block->bytes);
	heap_change(thread, -(long)block->bytes);
}

/* ---- both ---- */

NOINLINE void heap_allocated(struct log_thread *thread, void *place, uint64_t bytes, uintptr_t caller)
{
	struct log_heap *heap = heap_record(thread);

	if (unlikely(!heap))
		return;
	if (unlikely(!place))
		add_own(&heap->failed_calls, 1);
	else if (likely(live.heap == HEAP_LIVE))
		allocated(thread, heap, place, bytes, caller);
	else
		counted(thread, heap, place, caller);
}

NOINLINE bool heap_take(struct log_thread *thread, void *place, struct block *block)
{
	if (likely(live.heap == HEAP_LIVE))
		return take(live.log, place, block);
	take_counted(thread, place, block);
	return true;
}

NOINLINE void heap_put_back(struct log_thread *thread, const struct block *block)
{
	struct log_header *log = live.log;

	if (live.heap != HEAP_LIVE)
		heap_sample_put_back(thread, block);
	else if (log && !enter(log, thread, block))
		release(log, thread, block);
}

NOINLINE void heap_freed(struct log_thread *thread, const struct block *block)
{
	if (likely(live.heap == HEAP_LIVE))
		freed(thread, block);
	else
		free_counted(thread, block);
}

NOINLINE void heap_free(struct log_thread *thread, void *place)
{
	struct block block;

	if (unlikely(live.heap != HEAP_LIVE)) {
		take_counted(thread, place, &block);
		free_counted(thread, &block);
	} else if (take(live.log, place, &block)) {
		freed(thread, &block);
	}
}
