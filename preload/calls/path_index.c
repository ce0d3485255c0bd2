/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The index of a thread's nodes. The first ones, behind its record, are looked at one by one: a thread of few
 * paths needs no table. A full table is replaced by one twice as large, and each new entry moves some of the
 * old ones: no call waits until all have moved.
 */
#include "preload/calls/path_index.h"

#include "preload/state/log_space.h"

#define FIRST_TABLE_BYTES	4096u
#define MOVED_AT_A_TIME		8u	/* a line; above 1.6: all have moved before the next table is full */

static struct log_index *table_at(uint32_t ref)
{
	return log_at(live.log, ref);
}

static uint64_t *entries_of(struct log_index *table)
{
	return (uint64_t *)(table + 1);
}

static uint32_t hash_of(uint32_t parent, uint64_t function_addr)
{
	uint64_t key = (function_addr ^ (uint64_t)parent << 32) * 0x9e3779b97f4a7c15u;

	return (uint32_t)((key ^ key >> 32) * 0xd6e8feb86659fd93u >> 32);
}

static uint64_t entry_of(const struct log_node *node)
{
	return (uint64_t)hash_of(node->parent, node->function_addr) << 32 | log_ref(live.log, node);
}

static uint64_t next_place(const struct log_index *table, uint64_t place)
{
	return place + 1 == table->nr_places ? 0 : place + 1;
}

static uint32_t find_in(struct log_index *table, uint32_t hash, uint32_t parent, uint64_t function_addr)
{
	const uint64_t *entries = entries_of(table);
	uint64_t place = hash * table->nr_places >> 32;

	for (; entries[place]; place = next_place(table, place)) {
		const struct log_node *node = node_at(live.log, (uint32_t)entries[place]);

		if (entries[place] >> 32 != hash)
			continue;
		__builtin_prefetch((const char *)node + 64);	/* the part that the call's end changes */
		if (node->function_addr == function_addr && node->parent == parent)
			return (uint32_t)entries[place];
	}
	return 0;
}

/* The thread's first nodes, to @end. */
static const struct log_node *first_nodes(const struct log_thread *thread, const struct log_node **end)
{
	uint64_t used = __atomic_load_n(&thread->head.used_bytes, __ATOMIC_RELAXED);
	const char *area = (const char *)&thread->head;

	if (used > thread->head.bytes)
		used = thread->head.bytes;
	*end = (const struct log_node *)(area + used);
	return (const struct log_node *)(area + LOG_FIRST_NODES_AT);
}

static uint32_t find_first(const struct log_thread *thread, uint32_t parent, uint64_t function_addr)
{
	const struct log_node *end, *node = first_nodes(thread, &end);

	for (; node + 1 <= end; node++)
		if (node->function_addr == function_addr && node->parent == parent)
			return log_ref(live.log, node);
	return 0;
}

uint32_t path_index_find(const struct log_thread *thread, uint32_t parent, uint64_t function_addr)
{
	uint32_t hash, found = 0;

	if (!thread->index)
		return find_first(thread, parent, function_addr);
	hash = hash_of(parent, function_addr);
	for (uint32_t ref = thread->index; ref && !found; ref = table_at(ref)->smaller)
		found = find_in(table_at(ref), hash, parent, function_addr);
	return found;
}

/* Put it into the next free place, or that of a node whose function was unloaded. */
static void put(struct log_index *table, uint64_t entry)
{
	uint64_t *entries = entries_of(table), place = (entry >> 32) * table->nr_places >> 32;

	for (uint64_t i = 0; i < table->nr_places; i++, place = next_place(table, place)) {
		uint64_t there = entries[place];

		if (there == entry)
			return;
		if (there && (there >> 32 != entry >> 32 ||
			      !(node_at(live.log, (uint32_t)there)->function_addr & LOG_FUNCTION_RETIRED)))
			continue;
		if (!__atomic_compare_exchange_n(&entries[place], &there, entry, false, __ATOMIC_RELAXED,
						 __ATOMIC_RELAXED))
			continue;	/* a handler was faster */
		if (!there)
			add_own(&table->nr_entries, 1);
		return;
	}
}

static void move_some(struct log_index *table)
{
	struct log_index *smaller = table_at(table->smaller);
	uint64_t place = table->nr_moved, end = place + MOVED_AT_A_TIME;

	if (end > smaller->nr_places)
		end = smaller->nr_places;
	for (; place < end; place++)
		if (entries_of(smaller)[place])
			put(table, entries_of(smaller)[place]);
	table->nr_moved = place;
	if (place == smaller->nr_places)
		table->smaller = 0;
}

static bool has_room(uint32_t ref, bool is_other)
{
	return ref && table_at(ref)->nr_entries < table_at(ref)->nr_places / 8 * (is_other ? 7 : 6);
}

/*
 * Puts in the nodes that are whole. A node that a handler finds half made is put in later, when it is whole.
 */
static void put_first(struct log_index *table, const struct log_thread *thread)
{
	const struct log_node *end, *node = first_nodes(thread, &end);

	for (; node + 1 <= end; node++)
		if (node->parent)
			put(table, entry_of(node));
}

static bool make_table(struct log_thread *thread, bool is_other)
{
	uint32_t full = thread->index;
	uint64_t bytes = full ? table_at(full)->head.bytes * 2 : FIRST_TABLE_BYTES;
	struct log_index *table;

	if (!is_other && log_space_is_kept(bytes))
		return false;
	table = (struct log_index *)log_space_new_area(LOG_AREA_INDEX, thread->head.self, bytes,
						       (uint32_t)bytes, sizeof(uint64_t));
	if (!table)
		return false;
	table->nr_places = (table->head.bytes - sizeof(*table)) / sizeof(uint64_t);
	table->smaller = full;
	if (!full)
		put_first(table, thread);
	/* If there are two, the handler's stays. */
	__atomic_compare_exchange_n(&thread->index, &full, table->head.self, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	return true;
}

/* The next node is one of the first. */
static bool has_first_room(const struct log_thread *thread)
{
	return (!thread->nodes || thread->nodes == thread->head.self) &&
	       thread->head.used_bytes + sizeof(struct log_node) <= thread->head.bytes;
}

bool path_index_make_room(struct log_thread *thread, bool is_other)
{
	return (thread->index ? has_room(thread->index, is_other) : has_first_room(thread)) ||
	       make_table(thread, is_other);
}

void path_index_add(struct log_thread *thread, uint32_t ref)
{
	const struct log_node *node = node_at(live.log, ref);
	const bool is_first = (uint64_t)((const char *)node - (const char *)thread) < thread->head.bytes;
	struct log_index *table;

	/* A handler may have taken the last of the first places. */
	if (!thread->index && (is_first || !make_table(thread, true)))
		return;
	table = table_at(thread->index);
	if (table->smaller)
		move_some(table);
	put(table, entry_of(node));
}
