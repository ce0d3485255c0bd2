/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heap use, charged to the call path that the thread is in. With the map of live blocks, bytes are requested
 * sizes, and a free finds the path that allocated the block. Without it, bytes are malloc_usable_size() of
 * the block on both sides, so a free subtracts what its allocation added; for some blocks the stack is taken,
 * see heap_sample.h.
 */
#pragma once

#include "preload/calls/paths.h"
#include "preload/heap/blocks.h"
#include "preload/heap/bootstrap_arena.h"
#include "preload/state/process_entry.h"
#include "preload/state/live.h"

/*
 * Can the heap be counted here? Not if the program brings its own malloc (ours is never called), not if the
 * allocator cannot be asked for the size of a block, and not under sanitizers and valgrind. Constructor only.
 */
void heap_init(void);

/* The object that malloc is in. The size may be asked only for blocks that its functions return. */
extern HIDDEN struct allocator {
	uintptr_t begin;
	uintptr_t bytes;		/* 0: the heap is not counted */
	const char *unusable;		/* why it is not counted; NULL: it is */
	bool is_libcs;			/* glibc's: its malloc_usable_size() calls nothing interposed */
} allocator;	/* set before any thread */

/* The most that a thread holds back of the process's total. */
#define HEAP_STEP_BYTES (64l << 10)

struct log_heap *heap_new_record(struct log_thread *thread, struct log_node *node);
void heap_publish_held(struct log_thread *thread);
/* If the sampling task must come back after a fork, the thread's next allocation or free starts it. */
void heap_poll_soon(void);
/* There was a peak since the path was last touched: its live blocks of now are those of the peak. */
void heap_keep_peak(struct log_heap *heap);
void heap_raise_largest(struct log_heap *heap, uint64_t bytes);

/* The setting, HEAP_... of settings.h, as far as it can be met. */
static inline uint32_t heap_setting(void)
{
	return allocator.bytes ? (uint32_t)settings.value[SETTING_HEAP] : HEAP_OFF;
}

/* The limit on the process's address space has changed. */
void heap_limit_space(void);
/* All of the process's address space is about to count as locked memory. */
void heap_cut_space(void);
/*
 * The allocator has failed to give @bytes. Give up the address space that the map and the log do not use yet,
 * if that may be enough. Return: whether to try once more; after some tries it is false.
 */
bool heap_make_room(uint64_t bytes);

/* The same for a new log. Without @has_hooks there may only be samples. The map is empty at that time. */
uint32_t heap_begin_log(bool has_hooks);
/*
 * The first hook of a process that had none: live blocks are known from here on. Return: whether this was the
 * first hook. Callable from hooks and signal handlers.
 */
bool heap_begin_late(struct log_header *log);
/* Write into @log which settings cannot be met. */
void heap_tell(struct log_header *log);

/* After this, the real functions of the malloc family and malloc_usable_size are known. */
static ALWAYS_INLINE bool heap_is_counted(void)
{
	return live.heap != HEAP_OFF;
}

/* The thread's allocations are not counted now; a forked child may be due to open its log. */
static ALWAYS_INLINE void heap_not_counted(void)
{
	if (unlikely(entry_due_ticks))
		entry_look();
}

/*
 * Stands for the first thread of a program or child that has no log yet: its counts go to the process's
 * entry, @heap. Once a log is open, heap_take_early() moves them to the thread's record there, at the
 * thread's next event or at the end.
 */
extern HIDDEN struct log_thread heap_early;
void heap_begin_early(struct log_heap *heap);
void heap_take_early(void);
/* The log opens: the part of these counts with which its total begins. */
int64_t heap_early_bytes(void);

NOINLINE struct log_thread *heap_thread_slowly(void);

/* The calling thread, even while its allocations do not count. NULL: the heap is not counted. */
static ALWAYS_INLINE struct log_thread *heap_thread_inside(void)
{
	if (unlikely(!heap_is_counted())) {
		heap_not_counted();
		return NULL;
	}
	return likely(live.log && self) ? self : heap_thread_slowly();
}

/* In heap_inside, for the slow paths: allocations count, as the runtimes' own. */
#define HEAP_FOR_RUNTIMES	(1u << 31)

/* The calling thread, if live blocks are known and its allocations count as usual; else NULL. */
static ALWAYS_INLINE struct log_thread *heap_live_thread(void)
{
	struct log_thread *thread = self;

	return likely(live.heap == HEAP_LIVE && live.log && thread && !thread->heap_inside) ? thread : NULL;
}

/* The same, but NULL while the thread's allocations do not count. */
static ALWAYS_INLINE struct log_thread *heap_thread(void)
{
	struct log_thread *thread = heap_thread_inside();

	return likely(thread && !(thread->heap_inside & ~HEAP_FOR_RUNTIMES)) ? thread : NULL;
}

/* The record of the thread's path; in a sampled heap the root's. NULL: no room for one (counted). */
static ALWAYS_INLINE struct log_heap *heap_record(struct log_thread *thread)
{
	struct log_header *log = live.log;
	struct log_node *node;

	if (unlikely(!log || thread == &heap_early))
		return thread == &heap_early ? live.bootstrap_heap : NULL;
	node = likely(live.heap != HEAP_SAMPLED) ? node_at(log, thread->current) : &thread->root;
	return likely(node->heap) ? log_at(log, node->heap) : heap_new_record(thread, node);
}

/* Its highest bit says on which side of a path's first record that of @caller stands, the next bits go on. */
static ALWAYS_INLINE uint64_t heap_caller_hash(uintptr_t caller)
{
	return caller * 0x9e3779b97f4a7c15u;
}

struct log_heap *heap_find_caller(struct log_thread *thread, struct log_heap *first, uintptr_t caller);

/*
 * The path's record for blocks that @caller allocates, made if it is new. @first: the path's first record,
 * which also has its frees.
 */
static ALWAYS_INLINE struct log_heap *heap_of_caller(struct log_thread *thread, struct log_heap *first,
						     uintptr_t caller)
{
	return likely(first->caller_addr == caller) ? first : heap_find_caller(thread, first, caller);
}

/* May the thread hold back that much of the total? */
static ALWAYS_INLINE bool heap_may_hold(const struct log_thread *thread, long bytes)
{
	return likely((uint64_t)(thread->heap_held_bytes + bytes + HEAP_STEP_BYTES) <= 2 * HEAP_STEP_BYTES);
}

static ALWAYS_INLINE void heap_add(struct log_thread *thread, long bytes)
{
	add_own(&thread->heap_bytes, bytes);
	add_own(&thread->heap_held_bytes, bytes);
}

static ALWAYS_INLINE void heap_change(struct log_thread *thread, long bytes)
{
	heap_add(thread, bytes);
	if (!heap_may_hold(thread, 0))
		heap_publish_held(thread);
}

/* ---- paths' counters: of live and of sampled blocks ---- */

/*
 * The class of the current time, in the low 4 bits; above them the ticks until which it holds. 0: not known.
 * For this log; atomic.
 */
extern HIDDEN uint64_t heap_birth;

/* The class at @ticks. It becomes heap_birth. */
uint8_t heap_birth_at(const struct log_header *log, uint64_t ticks);

static ALWAYS_INLINE uint32_t heap_size_class(uint64_t bytes)
{
	uint32_t class = bytes > 16 ? 60 - (uint32_t)__builtin_clzll(bytes - 1) : 0;

	return likely(class < LOG_HEAP_SIZES) ? class : LOG_HEAP_SIZES - 1;
}

/* There was a peak since the path was last touched. */
static ALWAYS_INLINE bool heap_has_peaked(const struct log_header *log, const struct log_heap *heap)
{
	return unlikely(heap->peak_number != __atomic_load_n(&log->heap_peak_number, __ATOMIC_ACQUIRE));
}

static ALWAYS_INLINE void heap_before_change(const struct log_header *log, struct log_heap *heap)
{
	if (heap_has_peaked(log, heap))
		heap_keep_peak(heap);
}

/*
 * Is the heap above its peak so far, as far as this thread knows? If not, because another thread has just
 * noted a peak, heap_has_peaked() is true afterwards.
 */
static ALWAYS_INLINE bool heap_is_at_peak(const struct log_header *log, const struct log_thread *thread)
{
	const int64_t look = __atomic_load_n(&log->heap_look_bytes, __ATOMIC_ACQUIRE);

	return unlikely(log->heap_total_bytes + thread->heap_held_bytes > look);
}

struct heap_released {
	uint64_t blocks;
	uint64_t bytes;
	uint8_t birth;
};

static ALWAYS_INLINE void heap_add_released(struct log_heap *heap, struct heap_released released)
{
	add_own(&heap->released_calls, (long)released.blocks);
	add_own(&heap->released_bytes, (long)released.bytes);
	add_own_u32(&heap->births[released.birth], 0 - (uint32_t)released.blocks);
}

/* Blocks of @heap's path live no longer. */
void heap_release(struct log_thread *thread, struct log_heap *heap, struct heap_released released);

/* Add to the runtimes' own live blocks, modulo 2^64. */
void heap_count_runtimes(struct log_heap *heap, uint64_t blocks, uint64_t bytes);

/* tcmalloc creates an object by operator new when it is first called; its calls meanwhile are not counted. */
uint64_t heap_ask_allocator(struct log_thread *thread, void *block);

static ALWAYS_INLINE uint64_t heap_block_bytes(struct log_thread *thread, void *block)
{
	if (likely(allocator.is_libcs))
		return real.malloc_usable_size(block);
	return heap_ask_allocator(thread, block);
}

/*
 * Around a call of @function, a real one that may call other functions of its allocator by name: those are
 * not counted meanwhile. NULL: @function does not belong to the allocator whose blocks can be measured; only
 * functions that it calls itself may count.
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
		/* a jump within a handler may have taken it back */
		thread->heap_inside &= HEAP_FOR_RUNTIMES;
}
