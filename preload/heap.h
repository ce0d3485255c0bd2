/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heap use, charged to the call path that the thread is in. Bytes are malloc_usable_size() of the block on both
 * sides, so that a free takes back what its allocation brought. Only the calling thread writes a path's counters.
 */
#ifndef INSIDEME_HEAP_H
#define INSIDEME_HEAP_H

#include "child.h"
#include "early.h"
#include "paths.h"
#include "live.h"

/*
 * Can the heap be counted here? Not when the program brings its own malloc (ours is never called), when the size
 * of a block cannot be asked of the allocator that made it, nor under sanitizers and valgrind. Constructor only.
 */
void heap_init(void);

/* The object that malloc is in: only of blocks that its functions return may their size be asked. */
extern HIDDEN struct allocator {
	uintptr_t begin;
	uintptr_t bytes;		/* 0: the heap is not counted */
	const char *unusable;		/* why, NULL: it is counted */
	bool is_libcs;			/* which calls nothing that can be interposed to tell the size of a block */
} allocator;	/* set before any thread */

/* What a thread holds back of the process's total, at most. */
#define HEAP_STEP_BYTES (64l << 10)

struct log_heap *heap_new_record(struct log_thread *thread, struct log_node *node);
void heap_publish_held(struct log_thread *thread);
void heap_raise_largest(struct log_heap *heap, uint64_t bytes);

/* What the setting asks for, where it can be done: enum heap_setting. */
uint32_t heap_setting(void);

/* The real functions of the malloc family are known then, and malloc_usable_size too. */
static ALWAYS_INLINE bool heap_is_counted(void)
{
	return live.heap != HEAP_OFF;
}

/* What it does now is not counted; a forked child may be due to begin with it. */
static ALWAYS_INLINE void heap_not_counted(void)
{
	if (unlikely(child_due_ticks))
		child_heap_call();
}

/* The calling thread, NULL when what it does now is not to be counted. */
static ALWAYS_INLINE struct log_thread *heap_thread(void)
{
	struct log_thread *thread;

	if (unlikely(!heap_is_counted())) {
		heap_not_counted();
		return NULL;
	}
	thread = thread_self();
	return likely(thread && !thread->heap_inside) ? thread : NULL;
}

/* The record of the path that the thread is in. NULL: no room for one (counted). */
static ALWAYS_INLINE struct log_heap *heap_record(struct log_thread *thread)
{
	struct log_header *log = live.log;
	struct log_node *node;

	if (unlikely(!log))
		return NULL;
	node = node_at(log, thread->current);
	return likely(node->heap) ? log_at(log, node->heap) : heap_new_record(thread, node);
}

static ALWAYS_INLINE void heap_change(struct log_thread *thread, long bytes)
{
	add_own(&thread->heap_bytes, bytes);
	add_own(&thread->heap_held_bytes, bytes);
	if (unlikely((uint64_t)(thread->heap_held_bytes + HEAP_STEP_BYTES) > 2 * HEAP_STEP_BYTES))
		heap_publish_held(thread);
}

/* tcmalloc makes an object by operator new when it is first asked: what it calls meanwhile is not counted. */
uint64_t heap_ask_allocator(struct log_thread *thread, void *block);

static ALWAYS_INLINE uint64_t heap_block_bytes(struct log_thread *thread, void *block)
{
	return likely(allocator.is_libcs) ? real.malloc_usable_size(block) : heap_ask_allocator(thread, block);
}

/* The allocator returned @block, NULL for a failure. */
static ALWAYS_INLINE void heap_allocated(struct log_thread *thread, void *block)
{
	struct log_heap *heap = heap_record(thread);
	uint64_t bytes;

	if (unlikely(!heap))
		return;
	if (unlikely(!block)) {
		add_own(&heap->failed_calls, 1);
		return;
	}
	bytes = heap_block_bytes(thread, block);
	add_own(&heap->alloc_calls, 1);
	add_own(&heap->alloc_bytes, (long)bytes);
	if (unlikely(bytes > heap->largest_bytes))
		heap_raise_largest(heap, bytes);
	heap_change(thread, (long)bytes);
}

/* A block of @bytes is freed. */
static ALWAYS_INLINE void heap_freed(struct log_thread *thread, uint64_t bytes)
{
	struct log_heap *heap = heap_record(thread);

	if (unlikely(!heap))
		return;
	add_own(&heap->free_calls, 1);
	add_own(&heap->freed_bytes, (long)bytes);
	heap_change(thread, -(long)bytes);
}

/*
 * Around a call of @function, a real one that may call others of its allocator by their names: they are not
 * counted then. NULL: @function is not of the allocator whose blocks can be measured; it counts, if at all,
 * by what it calls itself.
 */
static ALWAYS_INLINE struct log_thread *heap_begin(const void *function)
{
	struct log_thread *thread;

	if ((uintptr_t)function - allocator.begin >= allocator.bytes)
		return NULL;
	thread = heap_thread();
	if (thread)
		thread->heap_inside++;
	return thread;
}

static ALWAYS_INLINE void heap_end(struct log_thread *thread)
{
	if (thread)
		thread->heap_inside = 0;	/* a jump within a handler may have taken it back */
}

#endif
