/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hooks' own cost. They are called as a program calls them, with a thread's record of one path that is nobody's; and
 * that of counting a block of the heap, by blocks that no allocator knows. Of the hooks the least of many counts: whatever
 * disturbs a count makes it larger. Of blocks medians. Their spread says how well they are known.
 *
 * While there is one thread, the log is nobody's too. Later, others use the log meanwhile: there the record is an area of
 * it that readers step over, and what would change the log's head is not measured.
 */
#include "preload/hooks/hook_cost.h"

#include "preload/calls/calls.h"
#include "preload/heap/heap.h"
#include "preload/hooks/hooks.h"
#include "preload/state/log_space.h"
#include "preload/state/recording_state.h"

#define NR_CALLS	16u	/* between two readings of the clock */
#define NR_BATCHES	15u
#define FUNCTION_ADDR	64u
#define BLOCK_BYTES	32u
#define STACK_ROOM	65536u

/* As little of a log as the hooks can use. */
struct scratch {
	struct log_area head;
	struct log_thread thread;
	_Alignas(64) struct log_frames stack;
	struct log_frame frames[4];
	struct log_area beside;
	struct log_memory_reading readings[4];
	struct log_area nodes;
	struct log_node node;
	_Alignas(64) struct log_heap heap;
	struct log_slices slices;
	uint8_t bytes[4096];
	_Alignas(BLOCK_BYTES) char blocks[NR_CALLS][BLOCK_BYTES];
};

LARGE static struct {
	struct log_header header;
	_Alignas(64) struct scratch scratch;
} own;					/* while there is one thread */

static void begin(const struct log_header *header, struct scratch *scratch)
{
	struct log_thread *thread = &scratch->thread;

	thread->root.min_ticks = scratch->node.min_ticks = UINT64_MAX;
	thread->pending_addr = (uint64_t)thread->root.histogram;
	thread->current = scratch->node.parent = log_ref(header, &thread->root);
	scratch->node.function_addr = FUNCTION_ADDR;
	*path_cache_entry(thread, thread->current, FUNCTION_ADDR) = log_ref(header, &scratch->node);
	scratch->frames[0].stack_addr = UINT64_MAX;
	scratch->frames[0].node = thread->current;
	thread->frames = log_ref(header, &scratch->stack);
	scratch->stack.head.bytes = sizeof(scratch->stack) + sizeof(scratch->frames);
	scratch->stack.head.beside = log_ref(header, &scratch->beside);
	thread->top_addr = (uint64_t)&scratch->frames[0];
	thread->limit_addr = (uint64_t)&scratch->frames[3];
	thread->stack_low_addr = (uint64_t)__builtin_frame_address(0) - STACK_ROOM / 2;
	thread->stack_bytes = STACK_ROOM;
	thread->slices[0] = log_ref(header, &scratch->slices);
	scratch->slices.head.bytes = sizeof(scratch->slices) + sizeof(scratch->bytes);
	scratch->slices.head.used_bytes = sizeof(scratch->slices);
	scratch->slices.last_node = log_ref(header, &scratch->node);
	scratch->node.heap = log_ref(header, &scratch->heap);
}

static NOINLINE uint64_t time_batch(uint32_t nr_calls)
{
	uint64_t start = now_ticks();

	for (uint32_t i = 0; i < nr_calls; i++) {
		__cyg_profile_func_enter((void *)(uintptr_t)FUNCTION_ADDR, NULL);
		__cyg_profile_func_exit((void *)(uintptr_t)FUNCTION_ADDR, NULL);
	}
	return now_ticks() - start;
}

/* The ones below the median and above are kept apart: insertion sort, they are few. */
static void keep_sorted(uint64_t *values, uint32_t nr, uint64_t value)
{
	for (; nr && values[nr - 1] > value; nr--)
		values[nr] = values[nr - 1];
	values[nr] = value;
}

static uint32_t per_call(uint64_t batch_ticks)
{
	uint64_t cost = (batch_ticks << LOG_COST_SHIFT) / NR_CALLS;

	return cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
}

/* The node is set anew for each batch. */
static struct log_cost measure(struct scratch *scratch)
{
	uint64_t full[NR_BATCHES], inside[NR_BATCHES], empty = UINT64_MAX;
	struct log_node *node = &scratch->node;

	time_batch(NR_CALLS);
	for (uint32_t i = 0; i < NR_BATCHES; i++) {
		uint64_t clock_ticks = time_batch(0), ticks;

		empty = clock_ticks < empty ? clock_ticks : empty;
		node->calls = node->total_ticks = 0;
		scratch->slices.head.used_bytes = sizeof(scratch->slices);
		ticks = time_batch(NR_CALLS);
		keep_sorted(full, i, ticks);
		keep_sorted(inside, i, node->total_ticks);
	}
	return (struct log_cost){
		.full = per_call(full[0] > empty ? full[0] - empty : 0),
		.inside = per_call(inside[0]),
		.spread = per_call(full[NR_BATCHES * 3 / 4] - full[NR_BATCHES / 4]),
	};
}

static NOINLINE void allocate_batch(struct scratch *scratch, uint32_t nr_blocks)
{
	for (uint32_t i = 0; i < nr_blocks; i++)
		heap_allocated(&scratch->thread, scratch->blocks[i], BLOCK_BYTES, FUNCTION_ADDR);
}

static NOINLINE void free_batch(struct scratch *scratch, uint32_t nr_blocks)
{
	for (uint32_t i = 0; i < nr_blocks; i++)
		heap_free(&scratch->thread, scratch->blocks[i]);
}

static uint64_t time_blocks(void (*batch)(struct scratch *, uint32_t), struct scratch *scratch)
{
	uint64_t start = now_ticks(), empty;

	batch(scratch, 0);
	empty = now_ticks() - start;
	start = now_ticks();
	batch(scratch, NR_CALLS);
	start = now_ticks() - start;
	return start > empty ? start - empty : 0;
}

static struct log_cost cost_of_blocks(const uint64_t sorted[NR_BATCHES])
{
	uint32_t median = per_call(sorted[NR_BATCHES / 2]);

	return (struct log_cost){ .full = median, .inside = median,
				  .spread = per_call(sorted[NR_BATCHES * 3 / 4] - sorted[NR_BATCHES / 4]) };
}

static void measure_blocks(struct log_header *log)
{
	struct scratch *scratch = &own.scratch;
	uint64_t allocations[NR_BATCHES], frees[NR_BATCHES];

	scratch->thread.current = log_ref(&own.header, &scratch->node);
	for (uint32_t i = 0; i < NR_BATCHES; i++) {
		keep_sorted(allocations, i, time_blocks(allocate_batch, scratch));
		keep_sorted(frees, i, time_blocks(free_batch, scratch));
	}
	log->costs[LOG_COST_ALLOCATION] = cost_of_blocks(allocations);
	log->costs[LOG_COST_FREE] = cost_of_blocks(frees);
}

static void measure_hooks(struct log_header *log, struct scratch *scratch)
{
	log->costs[live.timing == LOG_TIMING_COUNTS ? LOG_COST_UNTIMED : LOG_COST_TIMED] = measure(scratch);
}

static void measure_all(struct log_header *log)
{
	struct log_header *header = &own.header;

	header->threshold_ticks = UINT64_MAX;
	header->threshold_floor_ticks = log->threshold_floor_ticks;
	header->slice_shift = log->slice_shift;
	header->page_bytes = log->page_bytes;
	header->heap_peak_bytes = INT64_MAX;	/* no block of ours makes a new one */
	begin(header, &own.scratch);
	measure_hooks(log, &own.scratch);
	if (live.timing == LOG_TIMING_COUNTS)
		return;
	header->threshold_ticks = 0;
	log->costs[LOG_COST_RECORDED] = measure(&own.scratch);
	if (live.heap == HEAP_LIVE)
		measure_blocks(log);
}

void cost_measure(struct log_header *log)
{
	struct log_header *hot_log = live.hot_log;
	struct log_thread *thread = self;
	uint64_t mask = 0;

	sys_block_signals(&mask);
	live.log = &own.header;
	live.hot_log = hot_log ? &own.header : NULL;
	self = &own.scratch.thread;
	measure_all(log);
	self = thread;
	live.hot_log = hot_log;
	live.log = log;
	sys_restore_signals(&mask);
}

void cost_measure_late(struct log_header *log)
{
	struct log_thread *thread = self;
	struct scratch *scratch;
	uint64_t mask = 0;

	if (live_is_sealed() || switched_off())
		return;
	sys_block_signals(&mask);
	scratch = (struct scratch *)log_space_new_area(LOG_AREA_SCRATCH, 0, sizeof(*scratch),
						       sizeof(*scratch), 0);
	if (scratch) {
		begin(log, scratch);
		scratch->thread.repair_addr = (uint64_t)&mask;	/* where another switches recording off now: no stacks for it */
		self = &scratch->thread;
		measure_hooks(log, scratch);
		self = thread;
	}
	sys_restore_signals(&mask);
}
