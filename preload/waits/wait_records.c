/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open addressing in areas that get larger; a handler may come between any two stores, and make a second
 * record. */
#include "preload/waits/wait_records.h"

#include "preload/objects/next_functions.h"
#include "preload/stacks/thread.h"
#include "preload/state/log_space.h"
#include "preload/state/modules.h"

#define FIRST_AREA_BYTES 4096u
#define GROWTH 4u
#define LAST_AREA_BYTES (256u << 10)
#define PROBES 8u
#define HOLDERS 64u /* a power of two */

static uint64_t nr_places(const struct log_area *area)
{
	return (area->bytes - sizeof(*area)) / sizeof(struct log_wait);
}

static uint64_t hash_of(const struct wait_key *key)
{
	uint64_t hash = (key->object ^ (uint64_t)key->node << 40 ^ (uint64_t)key->holder_node << 20 ^
			 key->caller_addr) *
			0x9e3779b97f4a7c15u;

	return hash >> 32;
}

static bool is_of(const struct log_wait *record, const struct wait_key *key)
{
	return record->node == key->node && record->object == key->object &&
	       record->caller_addr == key->caller_addr && record->holder_node == key->holder_node &&
	       record->object_kind == key->object_kind &&
	       (key->object_kind != LOG_WAIT_ADDRESS || record->init_addr == key->init_addr);
}

/*
 * Records the module of the calling code. Without _dl_find_object() this would take the dynamic linker's
 * lock, so it does nothing then.
 */
static void fill(struct log_wait *record, const struct wait_key *key)
{
	if (libc._dl_find_object)
		modules_know(key->caller_addr);
	if (libc._dl_find_object && key->init_addr && !(key->init_addr & LOG_FUNCTION_RETIRED))
		modules_know(key->init_addr);
	record->object_kind = key->object_kind;
	record->object = key->object;
	if (key->object_kind == LOG_WAIT_ADDRESS)
		record->init_addr = key->init_addr;
	record->caller_addr = key->caller_addr;
	record->holder_thread = key->holder_thread;
	record->holder_node = key->holder_node;
}

/* @makes: take a free place where there is none yet. */
static struct log_wait *find_in(struct log_area *area, const struct wait_key *key, uint64_t hash, bool makes)
{
	struct log_wait *records = (struct log_wait *)(area + 1);
	uint64_t nr = nr_places(area);

	for (uint32_t i = 0; i < PROBES; i++) {
		struct log_wait *record = &records[(hash + i) % nr];
		uint32_t nobody = 0;

		if (is_of(record, key))
			return record;
		if (record->node)
			continue;
		if (!makes)
			return NULL;
		if (__atomic_compare_exchange_n(&record->node, &nobody, key->node, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			fill(record, key);
			return record;
		}
	}
	return NULL;
}

/* Larger than the thread's newest one, NULL where it is large enough or there is no room. */
static struct log_area *new_area(struct log_thread *thread)
{
	const struct log_area *newest = thread->waits ? log_at(live.log, thread->waits) : NULL;
	uint64_t bytes = newest ? newest->bytes * GROWTH : FIRST_AREA_BYTES;
	struct log_area *area;

	if (bytes > LAST_AREA_BYTES)
		return NULL;
	area = log_space_new_area(LOG_AREA_WAITS, thread->head.self, bytes, (uint32_t)bytes,
				  sizeof(struct log_wait));
	if (!area)
		return NULL;
	area->next = thread->waits;
	thread->waits = area->self;
	return area;
}

static struct log_wait *find(struct log_thread *thread, const struct wait_key *key)
{
	uint64_t hash = hash_of(key);
	struct log_wait *record = NULL;
	struct log_area *area;

	for (uint32_t ref = thread->waits; ref && !record; ref = area->next) {
		area = log_at(live.log, ref);
		record = find_in(area, key, hash, false);
	}
	if (record)
		return record;
	record = thread->waits ? find_in(log_at(live.log, thread->waits), key, hash, true) : NULL;
	if (record)
		return record;
	area = new_area(thread);
	return area ? find_in(area, key, hash, true) : NULL;
}

struct log_wait *wait_record(struct log_thread *thread, const struct wait_key *key)
{
	struct wait_key path = { .node = key->node };
	struct log_wait *record = find(thread, key);

	if (likely(record))
		return record;
	log_lose(live.log, LOG_LOST_WAITS);
	return find(thread, &path);
}

static void retire(uint64_t *addr, uint64_t begin, uint64_t end, uint64_t flags)
{
	if (*addr - begin < end - begin)
		__atomic_fetch_or(addr, flags, __ATOMIC_RELAXED);
}

void wait_records_retire(uint64_t begin, uint64_t end, uint64_t number)
{
	const uint64_t flags = LOG_FUNCTION_RETIRED | number << LOG_FUNCTION_MODULE_SHIFT;
	uint64_t at = LOG_HEADER_BYTES;
	struct log_area *area;

	while (live.log && (area = log_next_area(live.log, &at))) {
		struct log_wait *records = (struct log_wait *)(area + 1);

		for (uint64_t i = 0; area->kind == LOG_AREA_WAITS && i < nr_places(area); i++) {
			retire(&records[i].caller_addr, begin, end, flags);
			if (records[i].object_kind != LOG_WAIT_ADDRESS)
				continue;
			retire(&records[i].object, begin, end, flags);
			retire(&records[i].init_addr, begin, end, flags);
		}
	}
}

void holder_find(uint32_t tid, uint32_t *thread, uint32_t *node)
{
	static uint64_t holders[HOLDERS]; /* by task: pid of the log << 32 | ref of a record; atomic */
	const uint64_t own = (uint64_t)live.log->pid << 32;
	uint64_t *known = &holders[tid % HOLDERS], found = __atomic_load_n(known, __ATOMIC_RELAXED);
	const struct log_thread *holder =
		found >> 32 == live.log->pid ? log_at(live.log, (uint32_t)found) : NULL;

	*thread = *node = 0;
	if (!tid)
		return;
	if (!holder || holder->tid != tid) {
		holder = record_of_tid(tid);
		if (!holder)
			return;
		__atomic_store_n(known, own | holder->head.self, __ATOMIC_RELAXED);
	}
	*thread = holder->head.self;
	*node = __atomic_load_n(&holder->current, __ATOMIC_RELAXED);
}
