/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is counted in a log, and counting with the table of live blocks: each free finds the path that allocated. */
#include <sys/sysinfo.h>

#include "preload/calls/calls.h"
#include "preload/common/base/text.h"
#include "preload/common/run/process_id.h"
#include "preload/heap/blocks_shards.h"
#include "preload/heap/heap_sample.h"
#include "preload/objects/loaded_objects.h"
#include "preload/samples/backtrace.h"

#define MEMORY_SHARE	16	/* of what limits the process's memory: for the table */

static ALWAYS_INLINE bool is_runtimes(const struct log_thread *thread, uintptr_t caller)
{
	if (unlikely(runtimes_keep(caller)))
		return true;
	return unlikely(!thread->nodes && thread->serial == 0) && runtimes_hold(caller);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t memory_limit(void)
{
	struct sysinfo machine;
	struct rlimit limit;
	uint64_t bytes = UINT64_MAX, group;
	char content[32];
	const char *at = content;

	if (raw_syscall(SYS_sysinfo, (long)&machine, 0, 0, 0, 0, 0) == 0)
		bytes = machine.totalram * machine.mem_unit;
	if (read_file("/sys/fs/cgroup/memory.max", content, sizeof(content)) > 0 && text_read_u64(&at, &group) == 0)
		bytes = least(bytes, group);
	if (raw_syscall(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)&limit, 0, 0) == 0)
		bytes = least(bytes, limit.rlim_cur);
	return bytes;
}

/* The first time in the constructor, or with the first hook; again for the log of a forked child. */
static void begin_table(void)
{
	static bool was_begun;

	if (was_begun)
		blocks_inherit();
	else
		blocks_init(memory_limit() / MEMORY_SHARE);
	was_begun = true;
}

static const char *sample_unusable;	/* why no stacks are taken; NULL: they are, or are not asked for */

/* The first time in the constructor, where there are no hooks yet. */
static bool begin_samples(void)
{
	sample_unusable = backtrace_init();
	return !sample_unusable;
}

uint32_t heap_begin_log(bool has_hooks)
{
	static bool knows_runtimes;
	uint32_t setting = heap_setting();

	if (!knows_runtimes)	/* in the constructor: it takes ld.so's lock */
		runtimes_init();
	knows_runtimes = true;
	if (setting != HEAP_OFF && settings.value[SETTING_HEAP_SAMPLE] && !has_hooks && begin_samples())
		setting = HEAP_SAMPLED;
	else if (setting == HEAP_LIVE && !has_hooks)
		setting = HEAP_COUNTERS;
	if (setting == HEAP_LIVE || setting == HEAP_SAMPLED)
		begin_table();
	return setting;
}

/*
 * Other threads allocate meanwhile, and write to their paths' records: so each sets aside what it counted before when it
 * counts its first block in the table, see heap_keep_peak().
 */
bool heap_begin_late(struct log_header *log)
{
	uint32_t none = 0;

	if (!__atomic_compare_exchange_n(&log->has_hooks, &none, 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	if (live.heap != HEAP_COUNTERS || heap_setting() != HEAP_LIVE || live_is_sealed())
		return true;
	begin_table();
	log->heap_before_bytes = log->heap_total_bytes;
	log->heap_peak_number = 1;
	log->heap_began_late = 1;
	log->heap_bytes = LOG_HEAP_REQUESTED;
	__atomic_store_n(&live.heap, (uint32_t)HEAP_LIVE, __ATOMIC_RELEASE);
	return true;
}

void heap_tell(struct log_header *log)
{
	if (allocator.unusable)
		log_write_text(log, "heap_off", allocator.unusable, clock_ticks(log->clock));
	if (sample_unusable)
		log_write_text(log, "heap_sample_off", sample_unusable, clock_ticks(log->clock));
}

/* ---- counters ---- */

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

static NOINLINE void count_failure(struct log_heap *heap)
{
	add_own(&heap->failed_calls, 1);
}

/* A block that is not in the table is not counted as allocated: its free would not be seen. */
NOINLINE void heap_live_allocated(struct log_thread *thread, void *place, uint64_t bytes, uintptr_t caller)
{
	struct log_header *log = live.log;
	struct log_heap *heap = heap_record(thread);
	struct block block, replaced;
	enum block_result result;

	if (unlikely(!heap))
		return;
	if (unlikely(!place)) {
		count_failure(heap);
		return;
	}
	block = (struct block){ .addr = (uint64_t)place, .bytes = bytes, .heap = log_ref(log, heap),
				.birth = birth_now(log, thread), .is_runtimes = is_runtimes(thread, caller) };
	result = blocks_put(thread, &block, &replaced);
	if (unlikely(result == BLOCK_LOST)) {
		log_lose(log, LOG_LOST_HEAP_CALLS);
		return;
	}
	if (unlikely(result == BLOCK_REPLACED))
		release(log, thread, &replaced);
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

static ALWAYS_INLINE bool take(struct log_thread *thread, const void *place, struct block *block)
{
	struct log_header *log = live.log;
	enum block_result result;

	if (unlikely(!log))
		return false;
	result = blocks_take(thread, place, block);
	if (likely(result == BLOCK_DONE))
		return true;
	if (result == BLOCK_UNKNOWN)
		__atomic_fetch_add(&log->heap_unknown_frees, 1, __ATOMIC_RELAXED);
	if (result == BLOCK_LOST)
		log_lose(log, LOG_LOST_HEAP_CALLS);
	return false;
}

NOINLINE bool heap_live_take(struct log_thread *thread, const void *place, struct block *block)
{
	return take(thread, place, block);
}

NOINLINE void heap_live_put_back(struct log_thread *thread, const struct block *block)
{
	struct log_header *log = live.log;
	struct block replaced;

	if (log && blocks_put(thread, block, &replaced) == BLOCK_LOST)
		release(log, thread, block);
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

NOINLINE void heap_live_freed(struct log_thread *thread, const struct block *block)
{
	freed(thread, block);
}

NOINLINE void heap_live_free(struct log_thread *thread, const void *place)
{
	struct block block;

	if (take(thread, place, &block))
		freed(thread, &block);
}
