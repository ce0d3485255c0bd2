/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making nodes of the call tree. A signal handler may interrupt anywhere and make nodes in the same tree. */
#include "preload/calls/paths.h"

#include "preload/calls/counted.h"
#include "preload/calls/path_index.h"
#include "preload/state/log_space.h"
#include "preload/state/modules.h"

#define FIRST_AREA_BYTES	8192u
#define LAST_AREA_BYTES		(1u << 20)

static uint64_t next_area_bytes(const struct log_area *newest)
{
	return newest->bytes < LAST_AREA_BYTES ? newest->bytes * 2 : newest->bytes;
}

/*
 * A blank node from the thread's newest area of nodes (the first nodes lie behind its record) or from a new,
 * larger area. Nodes under "(other paths)" have room reserved, which new paths do not use; an area there is
 * small.
 */
static struct log_node *new_node(struct log_thread *thread, bool is_other)
{
	struct log_area *area = paths_newest_area(thread);
	uint64_t place, bytes;

	if (!thread->nodes)
		thread->nodes = thread->head.self;
	place = __atomic_fetch_add(&area->used_bytes, sizeof(struct log_node), __ATOMIC_RELAXED);
	if (place + sizeof(struct log_node) <= area->bytes)
		return (struct log_node *)((char *)area + place);
	bytes = area->kind == LOG_AREA_NODES && !is_other ? next_area_bytes(area) : FIRST_AREA_BYTES;
	if (!is_other && log_space_is_kept(bytes))
		return NULL;
	area = log_space_new_area(LOG_AREA_NODES, thread->head.self, bytes,
				  sizeof(*area) + sizeof(struct log_node), sizeof(struct log_node));
	if (!area)
		return NULL;
	thread->nodes = area->self;
	return (struct log_node *)(area + 1);
}

/*
 * Link a new node. If a handler has linked the same function meanwhile there are two, which readers merge. A
 * node for which the index has no room is not made, because it would be made again at each call.
 */
static uint32_t make_child(struct log_thread *thread, uint32_t parent, uint64_t function_addr)
{
	struct log_header *log = live.log;
	bool is_other = !thread->others || parent == thread->others;
	struct log_node *above = node_at(log, parent);
	struct log_node *node = path_index_make_room(thread, is_other) ? new_node(thread, is_other) : NULL;
	uint32_t first, ref;

	if (!node)
		return 0;
	ref = log_ref(log, node);
	node->function_addr = function_addr;
	node->min_ticks = UINT64_MAX;
	node->function = live.timing == LOG_TIMING_AUTO ? counted_number(function_addr) : 0;
	signal_fence();
	node->parent = parent;	/* whole: a handler's guess may find it */
	first = __atomic_load_n(&above->child, __ATOMIC_RELAXED);
	do {
		node->next = first;
	} while (!__atomic_compare_exchange_n(&above->child, &first, ref, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
	path_index_add(thread, ref);
	return ref;
}

/* The function's one node under "(other paths)". */
static uint32_t find_other(struct log_thread *thread, uint64_t function_addr)
{
	uint32_t others = thread->others ? thread->others : log_ref(live.log, &thread->root);
	uint32_t ref = path_index_find(thread, others, function_addr);

	log_lose(live.log, LOG_LOST_PATHS);
	if (!ref)
		ref = make_child(thread, others, function_addr);
	return ref ? ref : others;
}

static bool is_path(uint32_t ref, uint32_t parent, uint64_t function_addr)
{
	const struct log_node *node = node_at(live.log, ref);

	return node->function_addr == function_addr && node->parent == parent;
}

/*
 * The latest path, or the next one: programs tend to repeat their paths in the order in which they first took
 * them, and nodes lie in that order. Behind a node lies another one, or zeros: areas have 192 bytes left at
 * their end.
 */
static uint32_t guess(const struct log_thread *thread, uint32_t parent, uint64_t function_addr)
{
	const uint32_t latest = thread->latest;

	if (!latest || is_path(latest, parent, function_addr))
		return latest;
	return is_path(latest + LOG_NODE_STEP, parent, function_addr) ? latest + LOG_NODE_STEP : 0;
}

/* The work for a path takes less: another thread ran meanwhile, or the file grew. */
#define NEW_PATH_MOST_US 100

bool path_took(struct log_thread *thread, uint64_t ticks)
{
	if (ticks >= NEW_PATH_MOST_US * live.log->threshold_floor_ticks)
		return false;
	thread->new_paths_ticks += ticks;
	return true;
}

/*
 * Making a path takes long compared to a call, so it is timed: a reader subtracts the mean from the time of
 * each path's caller. The very first path takes ten times as long; a path under the root is in no caller's
 * time. A path that took far longer than others stays out of the mean, else all callers would lose its time.
 */
static NOINLINE uint32_t new_path(struct log_thread *thread, uint32_t parent, uint64_t function_addr)
{
	bool is_in_call = parent != log_ref(live.log, &thread->root);
	uint64_t start_ticks = is_in_call && live.timing != LOG_TIMING_COUNTS ? now_ticks() : 0;
	uint32_t ref;

	if (!(function_addr & LOG_FUNCTION_REGION))
		modules_know(function_addr & ~LOG_FUNCTION_CODE);
	if (!thread->others)	/* before the first path: there is room for it now, or never */
		thread->others = make_child(thread, log_ref(live.log, &thread->root), LOG_FUNCTION_OTHERS);
	ref = make_child(thread, parent, function_addr);
	if (!ref)
		ref = find_other(thread, function_addr);
	if (start_ticks && path_took(thread, now_ticks() - start_ticks))
		thread->nr_new_paths++;
	return ref;
}

uint32_t path_find(struct log_thread *thread, uint32_t parent, uint64_t function_addr)
{
	uint32_t ref = guess(thread, parent, function_addr);

	if (!ref)
		ref = path_index_find(thread, parent, function_addr);
	if (!ref)
		ref = new_path(thread, parent, function_addr);
	if (live.timing != LOG_TIMING_AUTO)
		*path_cache_entry(thread, parent, function_addr) = ref;
	thread->latest = ref;
	return ref;
}

/* Found by the place in the caller's code, which may be on several paths of "(other paths)". */
static uint32_t find_caller(struct log_thread *thread, uint32_t parent, const struct stack_call *call)
{
	const uint64_t code = call->code_addr | LOG_FUNCTION_CODE;
	const uint32_t ref = path_find(thread, parent, code);
	struct log_node *node = node_at(live.log, ref);

	if (node->function_addr == code)
		__atomic_store_n(&node->begin_addr, call->function_addr, __ATOMIC_RELAXED);
	return ref;
}

uint32_t path_of_stack(struct log_thread *thread, const struct stack_call *calls, uint32_t nr, bool is_caller)
{
	uint32_t ref = log_ref(live.log, &thread->root);

	if (!nr)
		return path_find(thread, ref, LOG_FUNCTION_OTHERS);
	while (nr-- > 0)
		ref = nr || is_caller ? find_caller(thread, ref, &calls[nr])
				      : path_find(thread, ref, calls[nr].function_addr);
	return ref;
}

static void retire_in(struct log_area *area, uint64_t begin, uint64_t end, uint64_t flags)
{
	uint64_t used = __atomic_load_n(&area->used_bytes, __ATOMIC_ACQUIRE);
	struct log_node *node = (struct log_node *)((char *)area + log_nodes_at(area));

	for (; (char *)(node + 1) <= (char *)area + (used < area->bytes ? used : area->bytes); node++)
		if ((node->function_addr & ~LOG_FUNCTION_CODE) - begin < end - begin)
			__atomic_fetch_or(&node->function_addr, flags, __ATOMIC_RELAXED);
}

void paths_retire(uint64_t begin, uint64_t end, uint64_t number)
{
	const uint64_t flags = LOG_FUNCTION_RETIRED | number << LOG_FUNCTION_MODULE_SHIFT;
	uint64_t at = LOG_HEADER_BYTES;
	struct log_area *area;

	while (live.log && (area = log_next_area(live.log, &at)))
		if (log_nodes_at(area))
			retire_in(area, begin, end, flags);
}

/* The event lets the reader add 2^32 to the bucket: @values are the node and the bucket's index. */
NOINLINE void path_bucket_wrapped(const struct log_thread *thread, const uint32_t *bucket)
{
	uint64_t offset = (uint64_t)((const char *)bucket - (const char *)live.log);
	uint64_t in_node = (offset - sizeof(struct log_area)) % sizeof(struct log_node);
	uint64_t index = (in_node - offsetof(struct log_node, histogram)) / sizeof(*bucket);
	const struct log_node *node = (const struct log_node *)((const char *)live.log + offset - in_node);
	uint64_t values[] = { node->child == LOG_PLACE ? node->parent : log_ref(live.log, node), index };

	log_write_event(live.log, LOG_EVENT_BUCKET_WRAPPED, thread->head.self, values, 2, NULL, now_ticks());
}
