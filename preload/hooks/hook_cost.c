/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the hooks' own cost. They are called as a program calls them, with a thread's record of one path
 * of its own. The cost of counting a heap block is measured with blocks that no allocator knows. For hooks,
 * the smallest of many measurements is taken, because any disturbance makes one larger; for blocks, the
 * median. The spread is the uncertainty. What the program itself does around its hooks is measured with hooks
 * that return at once.
 *
 * While there is one thread, the log is a scratch one too. Later, other threads use the log: then the record
 * is an area in it that readers skip, and costs whose measurement would change the log's header are not
 * measured.
 */
#include "preload/hooks/hook_cost.h"

#include "preload/calls/calls.h"
#include "preload/calls/counted.h"
#include "preload/heap/heap_count.h"
#include "preload/hooks/hooks.h"
#include "preload/state/log_space.h"
#include "preload/state/recording_state.h"

#define NR_CALLS	16u	/* between two readings of the clock */
#define NR_BATCHES	15u
#define FUNCTION_ADDR	64u
#define CALLER_ADDR	4096u
#define BLOCK_BYTES	32u
#define STACK_ROOM	65536u

/* The smallest part of a log that the hooks can work with. */
struct scratch {
	struct log_area head;
	struct log_thread thread;
	_Alignas(64) struct log_frames stack;
	struct log_frame frames[4];
	struct log_area beside;
	struct log_memory_reading readings[4];
	struct log_area nodes;
	struct log_node node;
	struct log_area call_places;
	struct log_node call_place;
	_Alignas(64) struct log_heap heap;
	struct log_slices slices;
	uint8_t bytes[4096];
	_Alignas(BLOCK_BYTES) char blocks[NR_CALLS][BLOCK_BYTES];
};

LARGE static struct {
	struct log_header header;
	_Alignas(64) struct scratch scratch;
} own;					/* used while there is one thread */

static void begin(const struct log_header *header, struct scratch *scratch)
{
	struct log_thread *thread = &scratch->thread;

	thread->root.min_ticks = scratch->node.min_ticks = UINT64_MAX;
	thread->pending_addr = (uint64_t)thread->root.histogram;
	thread->current = scratch->node.parent = scratch->node.caller = log_ref(header, &thread->root);
	scratch->node.function_addr = FUNCTION_ADDR;
	thread->latest = log_ref(header, &scratch->node);	/* so path_find() finds it */
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
	scratch->heap.caller_addr = CALLER_ADDR;
	scratch->call_places.magic = LOG_AREA_MAGIC;
	scratch->call_places.bytes = scratch->call_places.used_bytes =
		sizeof(scratch->call_places) + sizeof(scratch->call_place);
	thread->head.beside = log_ref(header, &scratch->call_places);
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

/* Keep the values up to the median. Insertion sort, since they are few. */
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

/* The node is reset for each batch. */
static struct log_cost measure(struct scratch *scratch)
{
	uint64_t full[NR_BATCHES], inside[NR_BATCHES], empty = UINT64_MAX;
	struct log_node *node = live.has_call_places ? &scratch->call_place : &scratch->node;

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
		heap_allocated(&scratch->thread, scratch->blocks[i], BLOCK_BYTES, CALLER_ADDR);
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

/* ---- around the hooks ---- */

/*
 * Many functions, called in no order that a processor can learn: in a loop over one function it does what is
 * around the hooks meanwhile, which it does not do in programs.
 */
#define NR_AROUND	128u	/* calls between two readings of the clock */
#define AROUND_BATCHES	8u

static void return_at_once(void *function, void *caller)
{
	(void)function;
	(void)caller;
}

/* The compiler does not know which registers it keeps. */
static void (*const volatile hook)(void *function, void *caller) = return_at_once;

/* As the compiler calls the hooks of a function. Its arguments have to survive the first one. */
#define WITH_HOOKS(number)                                                              \
	static NOINLINE uint32_t with_hooks_##number(uint32_t a, uint32_t b)            \
	{                                                                               \
		hook((void *)with_hooks_##number, __builtin_return_address(0));         \
		__asm__ volatile("" : "+r"(a), "+r"(b));                                \
		a = (a ^ b) + number;                                                   \
		hook((void *)with_hooks_##number, __builtin_return_address(0));         \
		return a;                                                               \
	}
#define WITHOUT_HOOKS(number)                                                           \
	static NOINLINE uint32_t without_hooks_##number(uint32_t a, uint32_t b)         \
	{                                                                               \
		__asm__ volatile("" : "+r"(a), "+r"(b));                                \
		return (a ^ b) + number;                                                \
	}
#define LISTED_WITH(number)    with_hooks_##number,
#define LISTED_WITHOUT(number) without_hooks_##number,
#define FOR_32(X)                                                                         \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
	X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

FOR_32(WITH_HOOKS)
FOR_32(WITHOUT_HOOKS)

typedef uint32_t around_function(uint32_t a, uint32_t b);
static around_function *const with_hooks[] = { FOR_32(LISTED_WITH) };
static around_function *const without_hooks[] = { FOR_32(LISTED_WITHOUT) };

static NOINLINE uint64_t time_calls(around_function *const *functions)
{
	uint32_t drawn = 1, value = 0;
	uint64_t start = now_ticks();

	for (uint32_t i = 0; i < NR_AROUND; i++) {
		drawn = drawn * 1664525u + 1013904223u;
		value = functions[drawn >> 27](value, i);
	}
	__asm__ volatile("" : : "r"(value));
	return now_ticks() - start;
}

/* By the least times of this process so far. */
static void measure_around(struct log_header *log)
{
	static uint64_t with = UINT64_MAX, without = UINT64_MAX;
	uint64_t ticks;

	if (live.timing == LOG_TIMING_COUNTS)
		return;
	for (uint32_t i = 0; i < AROUND_BATCHES; i++) {
		ticks = time_calls(with_hooks);
		with = ticks < with ? ticks : with;
		ticks = time_calls(without_hooks);
		without = ticks < without ? ticks : without;
	}
	log->costs[LOG_COST_AROUND].full =
		with > without ? (uint32_t)(((with - without) << LOG_COST_SHIFT) / NR_AROUND) : 0;
}

static struct log_cost *cost_of_hooks(struct log_header *log)
{
	return &log->costs[live.timing == LOG_TIMING_COUNTS ? LOG_COST_UNTIMED : LOG_COST_TIMED];
}

static void measure_hooks(struct log_header *log, struct scratch *scratch)
{
	*cost_of_hooks(log) = measure(scratch);
}

/* A call that has a frame and no clock, with timing auto. */
static struct log_cost measure_untimed(struct scratch *scratch)
{
	struct log_cost cost;

	counted_begin_measured();
	scratch->node.function = COUNTED_MEASURED;
	cost = measure(scratch);
	scratch->node.function = 0;
	return cost;
}

static void measure_all(struct log_header *log)
{
	struct log_header *header = &own.header;

	header->threshold_ticks = UINT64_MAX;
	header->threshold_floor_ticks = log->threshold_floor_ticks;
	header->slice_shift = log->slice_shift;
	header->page_bytes = log->page_bytes;
	header->heap_look_bytes = INT64_MAX;	/* no block of ours makes a new peak */
	begin(header, &own.scratch);
	measure_hooks(log, &own.scratch);
	if (live.timing == LOG_TIMING_COUNTS)
		return;
	if (live.timing == LOG_TIMING_AUTO)
		log->costs[LOG_COST_UNTIMED] = measure_untimed(&own.scratch);
	header->threshold_ticks = 0;
	log->costs[LOG_COST_RECORDED] = measure(&own.scratch);
	measure_around(log);
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

/* Measure on a record in @log, which other threads use meanwhile. */
static struct log_cost measure_beside(struct log_header *log, struct scratch *scratch,
				      struct log_cost (*measure_calls)(struct scratch *))
{
	struct log_thread *thread = self;
	struct log_cost cost;
	uint64_t mask = 0;

	sys_block_signals(&mask);
	begin(log, scratch);
	/* if another thread switches recording off now: no stacks for it */
	scratch->thread.repair_addr = (uint64_t)&mask;
	self = &scratch->thread;
	cost = measure_calls(scratch);
	self = thread;
	sys_restore_signals(&mask);
	return cost;
}

static struct scratch *new_scratch(void)
{
	return (struct scratch *)log_space_new_area(LOG_AREA_SCRATCH, 0, sizeof(struct scratch),
						    sizeof(struct scratch), 0);
}

void cost_measure_late(struct log_header *log)
{
	struct scratch *scratch = live_is_sealed() || switched_off() ? NULL : new_scratch();

	if (!scratch)
		return;
	*cost_of_hooks(log) = measure_beside(log, scratch, measure);
	if (live.timing == LOG_TIMING_AUTO)
		log->costs[LOG_COST_UNTIMED] = measure_beside(log, scratch, measure_untimed);
	measure_around(log);
}

static uint32_t scaled(uint32_t cost, const struct log_cost *now, const struct log_cost *before)
{
	return (uint32_t)((uint64_t)cost * now->full / before->full);
}

void cost_measure_again(struct log_header *log)
{
	static const struct log_header *measured; /* these two: the task's */
	static struct scratch *scratch;
	const struct log_cost before = *cost_of_hooks(log);
	struct log_cost now;

	if (!before.full || live.hot_log != log || live_is_sealed())
		return;
	if (measured != log)
		scratch = new_scratch();
	measured = log;
	if (!scratch)
		return;
	measure_around(log);
	now = measure_beside(log, scratch, measure);
	if (!now.full || now.full >= before.full)
		return;
	for (uint32_t i = 0; i < LOG_COST_AROUND; i++) {
		log->costs[i].inside = scaled(log->costs[i].inside, &now, &before);
		log->costs[i].full = scaled(log->costs[i].full, &now, &before);
	}
	*cost_of_hooks(log) = now;
}
