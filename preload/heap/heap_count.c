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
	return unlikely(!thread->nodes) && thread->serial == 0 && runtimes_hold(caller);
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

	if (likely(block->heap)) {
		heap_release(log, thread, heap, (struct heap_released){ blocks, bytes, block->birth });
		if (unlikely(block->is_runtimes))
			heap_count_runtimes(heap, 0 - (uint64_t)blocks, 0 - bytes);
		if (block->addr == thread->heap_last_addr) {
			thread->heap_last_addr = 0;
			add_own(&heap->temporary_calls, 1);
		}
	}
	heap_change(thread, -(long)bytes);
}

static ALWAYS_INLINE void count_allocated(const struct log_header *log, struct log_thread *thread, struct log_heap *heap,
					  const struct block *block)
{
	heap_before_change(log, heap);
	add_own(&heap->alloc_calls, 1);
	add_own(&heap->alloc_bytes, (long)block->bytes);
	add_own(&heap->sizes[heap_size_class(block->bytes)], 1);
	add_own_u32(&heap->births[block->birth], 1);
	if (unlikely(block->bytes > heap->largest_bytes))
		heap_raise_largest(heap, block->bytes);
	thread->heap_last_addr = block->addr;
	heap_change(thread, (long)block->bytes);
}

static ALWAYS_INLINE void count_freed(const struct log_header *log, struct log_thread *thread, struct log_heap *heap,
				      const struct block *block)
{
	release(log, thread, block);
	if (unlikely(!heap))
		return;
	add_own(&heap->free_calls, 1l << block->shift);
	add_own(&heap->freed_bytes, (long)(block->bytes << block->shift));
}

/* A block that is not in the map is not counted as allocated: its free would not be seen. Return: whether it is counted. */
static bool enter(struct log_header *log, struct log_thread *thread, const struct block *block)
{
	struct block replaced;
	enum block_result result = blocks_put(block, &replaced);

	if (result == BLOCK_REPLACED)
		release(log, thread, &replaced);
	if (result == BLOCK_LOST)
		log_lose(log, LOG_LOST_HEAP_CALLS);
	return result != BLOCK_LOST;
}

static NOINLINE void allocated_live(struct log_thread *thread, struct log_heap *heap, struct block block, uintptr_t caller)
{
	struct log_header *log = live.log;

	if (!log)
		return;
	block.is_runtimes = is_runtimes(thread, caller);
	if (!enter(log, thread, &block))
		return;
	if (block.is_runtimes)
		heap_count_runtimes(heap, 1, block.bytes);
	count_allocated(log, thread, heap, &block);
}

static bool take_live(struct log_header *log, const void *place, struct block *block)
{
	enum block_result result = log ? blocks_take(place, block) : BLOCK_LOST;

	if (result == BLOCK_UNKNOWN)
		__atomic_fetch_add(&log->heap_unknown_frees, 1, __ATOMIC_RELAXED);
	return result == BLOCK_DONE;
}

/* ---- without ---- */

static ALWAYS_INLINE void allocated_counted(struct log_thread *thread, struct log_heap *heap, void *place, uintptr_t caller)
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

static ALWAYS_INLINE void take_counted(struct log_thread *thread, void *place, struct block *block)
{
	*block = (struct block){ .addr = (uint64_t)place, .bytes = heap_block_bytes(thread, place) };
	if (live.heap == HEAP_SAMPLED)
		heap_sample_find(place, block);
}

static ALWAYS_INLINE void freed_counted(struct log_thread *thread, const struct block *block)
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

static NOINLINE void allocated_otherwise(struct log_thread *thread, void *place, uintptr_t caller)
{
	struct log_heap *heap = heap_record(thread);

	if (!heap)
		return;
	if (!place)
		add_own(&heap->failed_calls, 1);
	else if (live.heap != HEAP_LIVE)
		allocated_counted(thread, heap, place, caller);
}

/* Is it of a log that counts live blocks? */
static ALWAYS_INLINE bool is_live(const struct log_header *log, const struct log_thread *thread)
{
	return likely(log && live.heap == HEAP_LIVE && thread != &heap_early);
}

static ALWAYS_INLINE struct log_heap *live_record(const struct log_header *log, struct log_thread *thread)
{
	struct log_node *node = node_at(log, thread->current);

	return likely(node->heap) ? log_at(log, node->heap) : heap_new_record(thread, node);
}

void heap_allocated(struct log_thread *thread, void *place, uint64_t bytes, uintptr_t caller)
{
	const struct log_header *log = live.log;
	struct log_heap *heap;
	struct block block;

	if (unlikely(!is_live(log, thread) || !place)) {
		allocated_otherwise(thread, place, caller);
		return;
	}
	heap = live_record(log, thread);
	if (unlikely(!heap))
		return;
	block = (struct block){ .addr = (uint64_t)place, .bytes = bytes, .heap = log_ref(log, heap), .birth = birth_now(log, thread) };
	if (likely(!is_runtimes(thread, caller) && blocks_put_at_once(&block)))
		count_allocated(log, thread, heap, &block);
	else
		allocated_live(thread, heap, block, caller);
}

NOINLINE bool heap_take(struct log_thread *thread, void *place, struct block *block)
{
	if (likely(live.heap == HEAP_LIVE))
		return take_live(live.log, place, block);
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
	const struct log_header *log = live.log;

	if (live.heap != HEAP_LIVE)
		freed_counted(thread, block);
	else if (log)
		count_freed(log, thread, heap_record(thread), block);
}

static NOINLINE void free_otherwise(struct log_thread *thread, void *place)
{
	struct block block;

	if (live.heap != HEAP_LIVE) {
		take_counted(thread, place, &block);
		freed_counted(thread, &block);
	} else if (heap_take(thread, place, &block)) {
		heap_freed(thread, &block);
	}
}

/* The real free looks at what lies before the block: both memory accesses are under way at once. */
void heap_free(struct log_thread *thread, void *place)
{
	const struct log_header *log = live.log;
	struct block block;

	__builtin_prefetch((char *)place - sizeof(void *), 1);
	if (likely(is_live(log, thread) && blocks_take_at_once(place, &block)))
		count_freed(log, thread, live_record(log, thread), &block);
	else
		free_otherwise(thread, place);
}
