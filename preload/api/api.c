/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of include/insideme.h. A region is a call of a function whose address is not an address, but
 * stands for a name.
 */
#include <errno.h>

#include "preload/api/api.h"
#include "preload/calls/call_slow.h"
#include "preload/calls/line_events.h"
#include "preload/calls/line_focus.h"
#include "preload/calls/selection.h"
#include "preload/heap/heap_count.h"
#include "preload/hooks/hooks.h"
#include "preload/life/recorder.h"
#include "preload/stacks/stacks.h"
#include "preload/state/labels.h"
#include "preload/state/line_units.h"
#include "preload/state/live.h"
#include "preload/state/modules.h"
#include "preload/waits/lock_names.h"

#define INSIDEME_RECORDER
#include "insideme.h"

#define BLOCK_LOW_BITS 7u		/* of addresses that are not in the map */

static void *region(const char *name)
{
	struct label *label = name && live_has_begun ? label_find(name) : NULL;

	if (label && unlikely(!label->is_timed))
		label->is_timed = 1;
	return label ? (void *)(LOG_FUNCTION_REGION | (uint64_t)label->number << LOG_REGION_SHIFT) : NULL;
}

/*
 * The caller returns before the region ends, so its place on the stack says nothing. The region has the place
 * of the call that it is in, and ends with that call at the latest.
 */
static int begin_within(const char *name)
{
	uint64_t function_addr = (uint64_t)region(name);
	uintptr_t stack_addr = (uintptr_t)__builtin_frame_address(0);
	struct log_thread *thread = thread_self();

	if (!thread)
		return -ENODATA;
	if (!function_addr)
		return name ? -ENOBUFS : -EINVAL;
	if (stack_before_enter(thread, function_addr, stack_addr, 0))
		call_begin_slowly(thread, call_claim(live.log, thread, function_addr,
						     top_frame(thread)->stack_addr, 0, call_timing()));
	return 0;
}

/* Ranks and the processes that they start have logs. Others need not have one. */
static int rank(int *nr_ranks)
{
	const struct log_header *log = thread_self() ? live.log : NULL;

	*nr_ranks = log && log->nr_ranks > 0 ? log->nr_ranks : 1;
	return log && log->rank > 0 ? log->rank : 0;
}

/* ---- blocks of the program's own allocators: maps of live blocks beside that of malloc ---- */

/* Return: 0, or -errno. */
static int thread_for(const void *block, struct log_thread **thread)
{
	if (!block || (uintptr_t)block & BLOCK_LOW_BITS)
		return -EINVAL;
	*thread = heap_thread();
	return *thread && live.log && live.heap == HEAP_LIVE ? 0 : -ENODATA;
}

static void *of_pool(const void *block)
{
	return (void *)((uintptr_t)block | BLOCK_OF_POOL);
}

static int pool_alloc(const void *block, size_t bytes)
{
	struct log_thread *thread;
	int error = thread_for(block, &thread);

	if (!error)
		heap_allocated(thread, of_pool(block), bytes, 0);
	return error;
}

static int pool_free(const void *block)
{
	struct log_thread *thread;
	struct block taken;
	int error = thread_for(block, &thread);

	if (error)
		return error;
	if (!heap_take(thread, of_pool(block), &taken))
		return -ESRCH;
	heap_freed(thread, &taken);
	return 0;
}

static int pool_begin(void)
{
	struct log_thread *thread = heap_thread_inside();

	if (!thread)
		return -ENODATA;
	thread->heap_inside++;
	return 0;
}

static int pool_end(void)
{
	struct log_thread *thread = heap_thread_inside();

	if (!thread || !thread->heap_inside)
		return -ENODATA;
	thread->heap_inside--;
	return 0;
}

static int focus(const char *list)
{
	return live_has_begun && recorder_open() ? selection_change(list ?: "") : -ENODATA;
}

static int name_lock(const void *lock, const char *name)
{
	const struct label *label = lock && name && live_has_begun ? label_find(name) : NULL;

	if (!lock || !name)
		return -EINVAL;
	if (!live_has_begun)
		return -ENODATA;
	return label && lock_name(lock, label->number) ? 0 : -ENOBUFS;
}

/* A program without hooks may have no log yet. */
static void lines_begin(const void *unit)
{
	if (live_has_begun && recorder_open())
		line_units_add(unit);
}

static void line_began(uintptr_t code, uintptr_t stack)
{
	struct log_thread *thread = thread_self();

	if (thread)
		line_event_add(thread, code, stack);
}

/* The focus may be read only now. */
static void line_events(struct insideme_line_events *events, const void *begin, const void *end)
{
	uintptr_t from = (uintptr_t)begin, to = (uintptr_t)end;

	if (!settings.value[SETTING_LINE_EVENTS] || !live_has_begun || !recorder_open())
		return;
	modules_know(from);
	if (selection_now()->has_focus && !line_focus_within(&from, &to))
		return;
	events->begin = from;
	events->line = line_began;
	__atomic_store_n(&events->bytes, to - from, __ATOMIC_RELEASE);
}

EXPORT extern const struct insideme_recorder insideme_recorder;
const struct insideme_recorder insideme_recorder = {
	.version = INSIDEME_VERSION_OF_TABLE,
	.bytes = sizeof(insideme_recorder),
	.enter = __cyg_profile_func_enter,
	.exit = __cyg_profile_func_exit,
	.region = region,
	.mark = mark_instant,
	.fail = mark_failure,
	.counter = mark_counter,
	.start = timer_start,
	.pause = timer_pause,
	.resume = timer_resume,
	.stop = timer_stop,
	.begin_within = begin_within,
	.enable = toggle_enable,
	.disable = toggle_disable,
	.field = mark_field,
	.sum = query_sum,
	.sum_after = query_sum_after,
	.reset = query_reset,
	.snapshot = mark_snapshot,
	.memory = query_memory,
	.rank = rank,
	.pool_alloc = pool_alloc,
	.pool_free = pool_free,
	.pool_begin = pool_begin,
	.pool_end = pool_end,
	.elapsed = timer_elapsed,
	.add = timer_add,
	.moved = messages_moved,
	.on_call = on_call,
	.lines_begin = lines_begin,
	.lines_end = line_units_remove,
	.lines_copy = line_units_copy,
	.mean_ns = query_mean_ns,
	.focus = focus,
	.line_events = line_events,
	.name_lock = name_lock,
};
