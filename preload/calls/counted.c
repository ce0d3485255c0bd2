/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of functions, the rule by which they become counted, and the threads' counters. */
#include "preload/calls/counted.h"

#include <sys/mman.h>

#include "preload/calls/selection.h"
#include "preload/state/log_space.h"

#define COUNTED_WINDOW 1024u
#define LEAST_WINDOWS 256u /* of all functions together: a short program keeps all of its times */
#define COUNTED_COSTS 8u /* times what a call's hooks cost */
#define COUNTED_HEAP_SHARE 16u
#define LEAST_NS 100u /* bounds of the limit, where the cost was measured badly or not at all */
#define MOST_NS 1000u
#define MOST_FULL (COUNTED_FUNCTIONS / 4 * 3)
#define GONE 1u /* the address of a function whose module is gone: no function lies there */

/*
 * A mapping of its own, made with the first function: the library's data would be locked if the program locks
 * all of its memory.
 */
struct table {
	struct counted_function functions[COUNTED_FUNCTIONS];
	uint32_t counted[COUNTED_FUNCTIONS]; /* places of counted functions, in the order in which they became
						counted; 0: not written yet */
};
static struct counted_function nothing;
struct counted_function *counted_functions = &nothing; /* atomic */
LARGE uint64_t counted_bits[COUNTED_FUNCTIONS / 64];
LARGE uint64_t counted_frame_bits[COUNTED_FUNCTIONS / 64];
static uint32_t nr_functions;			       /* atomic */
static uint32_t nr_counted;			       /* atomic */
static uint32_t nr_windows;			       /* atomic; windows that were judged */

__thread uint64_t *counters;

static uint32_t hash_of(uint64_t function_addr)
{
	return (uint32_t)((function_addr >> 4) * 0x9e3779b97f4a7c15u >> 48) % COUNTED_FUNCTIONS;
}

static bool has_place(uint64_t function_addr)
{
	return function_addr > GONE && !(function_addr & (LOG_FUNCTION_FLAGS | LOG_FUNCTION_REGION));
}

uint32_t counted_find(uint64_t function_addr)
{
	uint64_t addr;

	if (!has_place(function_addr) || counted_functions == &nothing)
		return 0;
	for (uint32_t i = hash_of(function_addr);; i = (i + 1) % COUNTED_FUNCTIONS) {
		addr = i ? __atomic_load_n(&counted_functions[i].addr, __ATOMIC_ACQUIRE) : GONE;
		if (addr == function_addr || !addr)
			return addr ? i : 0;
	}
}

/* It has no huge pages, and mlockall() does not lock it. If two tasks make it at once, one table stays. */
static bool has_table(void)
{
	struct counted_function *before = &nothing;
	long place;

	if (counted_functions != &nothing)
		return true;
	if (live_is_sealed())
		return false;
	place = sys_mmap(NULL, sizeof(struct table), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			 -1, 0);
	if (sys_failed(place))
		return false;
	raw_syscall(SYS_munlock, place, sizeof(struct table), 0, 0, 0, 0);
	sys_madvise((void *)place, sizeof(struct table), MADV_NOHUGEPAGE);
	raw_syscall(SYS_mprotect, place, sizeof(struct table), PROT_READ | PROT_WRITE, 0, 0, 0);
	((struct table *)place)->functions[COUNTED_MEASURED].addr = GONE;
	if (!__atomic_compare_exchange_n(&counted_functions, &before, ((struct table *)place)->functions,
					 false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		sys_munmap((void *)place, sizeof(struct table));
	return true;
}

static uint32_t *counted_list(void)
{
	return ((struct table *)counted_functions)->counted;
}

uint32_t counted_number(uint64_t function_addr)
{
	uint32_t found = counted_find(function_addr);

	if (found || !has_place(function_addr) || !has_table() ||
	    __atomic_fetch_add(&nr_functions, 1, __ATOMIC_RELAXED) >= MOST_FULL)
		return found;
	for (uint32_t i = hash_of(function_addr);; i = (i + 1) % COUNTED_FUNCTIONS) {
		uint64_t addr = 0;

		if (i && (__atomic_compare_exchange_n(&counted_functions[i].addr, &addr, function_addr, false,
						      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
			  addr == function_addr))
			return i;
	}
}

void counted_forget(uint64_t begin, uint64_t end)
{
	for (uint32_t i = 1; i < COUNTED_FUNCTIONS && nr_functions; i++)
		if (counted_functions[i].addr - begin < end - begin)
			__atomic_store_n(&counted_functions[i].addr, GONE, __ATOMIC_RELEASE);
}

/* ---- the rule ---- */

static uint64_t limit_ticks(void)
{
	const uint64_t us_ticks = live.log->threshold_floor_ticks;
	const uint64_t cost = live.log->costs[LOG_COST_TIMED].full >> LOG_COST_SHIFT;
	const uint64_t least = us_ticks * LEAST_NS / 1000, most = us_ticks * MOST_NS / 1000;
	const uint64_t limit = cost * COUNTED_COSTS;

	if (limit < least)
		return least;
	if (limit < most)
		return limit;
	/* a clock that is read by system calls: a call that does nothing takes half of that */
	return most < 2 * cost ? 2 * cost : most;
}

/* As far as the frames of one area show. */
static uint32_t open_calls(const struct log_thread *thread, uint64_t function_addr)
{
	uint32_t nr = 0;

	for (const struct log_frame *frame = top_frame(thread); frame->function_addr; frame--)
		nr += frame->function_addr == function_addr;
	return nr;
}

static void log_counted(uint64_t function_addr)
{
	struct log_counted *record =
		(struct log_counted *)log_new_record(live.log, sizeof(*record), now_ticks());

	if (!record)
		return;
	record->function_addr = function_addr;
	log_publish(&record->record, LOG_RECORD_COUNTED);
}

static void set_bit(uint64_t bits[], uint32_t number)
{
	__atomic_fetch_or(&bits[number / 64], 1ull << number % 64, __ATOMIC_RELEASE);
}

void counted_begin_measured(void)
{
	set_bit(counted_frame_bits, COUNTED_MEASURED);
	set_bit(counted_bits, COUNTED_MEASURED);
}

/* Two threads may judge one function at once: the first one decides whether it has frames, for good. */
static void make_counted(uint32_t number, bool has_frames)
{
	uint32_t i;

	if (__atomic_exchange_n(&counted_functions[number].is_decided, 1, __ATOMIC_RELAXED))
		return;
	if (has_frames)
		set_bit(counted_frame_bits, number);
	set_bit(counted_bits, number);
	i = __atomic_fetch_add(&nr_counted, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&counted_list()[i], number, __ATOMIC_RELEASE);
	log_counted(counted_functions[number].addr);
}

static void judge(struct log_thread *thread, struct counted_function *function)
{
	uint32_t calls = __atomic_exchange_n(&function->calls, 0, __ATOMIC_RELAXED);
	uint32_t heap = __atomic_exchange_n(&function->heap, 0, __ATOMIC_RELAXED);
	uint32_t longs = __atomic_exchange_n(&function->longs, 0, __ATOMIC_RELAXED);
	uint64_t ticks = __atomic_exchange_n(&function->ticks, 0, __ATOMIC_RELAXED);
	uint32_t windows;

	if (__atomic_add_fetch(&nr_windows, 1, __ATOMIC_RELAXED) < LEAST_WINDOWS)
		return;
	if (!calls || function->is_kept || selection_needs_frame(function->addr))
		return;
	windows = __atomic_add_fetch(&function->windows, 1, __ATOMIC_RELAXED);
	if (longs >= 2 || ticks >= calls * limit_ticks() ||
	    __atomic_add_fetch(&function->short_windows, 1, __ATOMIC_RELAXED) * 2 <= windows)
		return;
	function->nr_open = open_calls(thread, function->addr);
	make_counted((uint32_t)(function - counted_functions),
		     function->allocates || heap * COUNTED_HEAP_SHARE > calls);
}

/* Does the path's function allocate itself? Without live blocks its frees count as well. */
static bool allocates(const struct log_node *node)
{
	const struct log_heap *heap = node->heap ? log_at(live.log, node->heap) : NULL;

	if (!heap || live.heap == HEAP_SAMPLED)
		return false;
	return live.heap != HEAP_LIVE || heap->alloc_calls || heap->failed_calls;
}

NOINLINE void counted_step(struct log_thread *thread, struct log_node *node)
{
	struct counted_function *function = &counted_functions[node->function];
	uint32_t calls;

	if (allocates(node))
		function->allocates = 1;
	__atomic_fetch_add(&function->ticks, node->window_ticks, __ATOMIC_RELAXED);
	if (node->window_heap)
		__atomic_fetch_add(&function->heap, node->window_heap, __ATOMIC_RELAXED);
	if (node->window_longs)
		__atomic_fetch_add(&function->longs, node->window_longs, __ATOMIC_RELAXED);
	calls = __atomic_add_fetch(&function->calls, node->window_calls, __ATOMIC_RELAXED);
	node->window_ticks = 0;
	node->window_calls = node->window_heap = node->window_longs = 0;
	if (calls >= COUNTED_WINDOW && node->function && !counted_is(node->function))
		judge(thread, function);
}

/* ---- counters ---- */

void counted_begin_thread(struct log_thread *thread)
{
	static bool is_full; /* the log is full, and does not grow again */
	struct log_area *area = thread->counters ? log_at(live.log, thread->counters) : NULL;

	if (is_full || thread->is_clone) /* it has its creator's counters */
		return;
	if (!area) {
		area = log_space_new_area(LOG_AREA_COUNTERS, thread->head.self,
					  sizeof(*area) + LOG_COUNTERS * sizeof(uint64_t),
					  sizeof(*area) + LOG_COUNTERS * sizeof(uint64_t), sizeof(uint64_t));
		is_full = !area;
		if (!area)
			return;
		thread->counters = area->self;
	}
	counters = (uint64_t *)(area + 1);
}

void counted_forked(void)
{
	counters = NULL;
}

void counted_log_all(void)
{
	for (uint32_t i = 0; i < nr_counted; i++)
		if (counted_list()[i] && counted_functions[counted_list()[i]].addr != GONE)
			log_counted(counted_functions[counted_list()[i]].addr);
}
