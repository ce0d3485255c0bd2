/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counting without hooks: what the allocator gave, in the program's or the thread's own record, and samples. */
#include "preload/heap/heap_sample.h"

NOINLINE void heap_counted(struct log_thread *thread, void *place, uintptr_t caller)
{
	struct log_heap *heap = heap_record(thread);
	uint64_t bytes;

	if (unlikely(!heap))
		return;
	if (unlikely(!place)) {
		add_own(&heap->failed_calls, 1);
		return;
	}
	bytes = heap_block_bytes(thread, place);
	add_own(&heap->alloc_calls, 1);
	add_own(&heap->alloc_bytes, (long)bytes);
	if (unlikely(bytes > heap->largest_bytes))
		heap_raise_largest(heap, bytes);
	if (live.heap == HEAP_SAMPLED)
		heap_sample_allocated(thread, place, bytes, caller);
	heap_change(thread, (long)bytes);
}

NOINLINE void heap_counted_take(struct log_thread *thread, void *place, struct block *block)
{
	*block = (struct block){ .addr = (uint64_t)place, .bytes = heap_block_bytes(thread, place) };
	if (live.heap == HEAP_SAMPLED && unlikely(__atomic_load_n(heap_sample_page(place), __ATOMIC_RELAXED)))
		heap_sample_find(thread, place, block);
}

void heap_counted_put_back(struct log_thread *thread, const struct block *block)
{
	if (block->heap)
		heap_sample_put_back(thread, block);
}

NOINLINE void heap_counted_free(struct log_thread *thread, const struct block *block)
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
