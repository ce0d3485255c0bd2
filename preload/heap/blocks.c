/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of live blocks. A shard holds the blocks of some regions of 1 MiB, so that threads, whose allocators work
 * in regions of their own, seldom meet in one. A shard grows by a half and shrinks by a third, and moves some entries at
 * each step until the old table is empty: no step takes long, however large the table is.
 *
 * A process may be forked at any instant, while other threads are in here. So pointers and capacities are written in an
 * order that the child can follow: what it finds of a change that was on its way is a block too many or too few. A table is
 * the old one before it is replaced: in between a child finds it twice.
 */
#include "preload/heap/blocks_shards.h"

#include <sys/mman.h>

#include "preload/common/base/syscalls.h"
#include "preload/state/live.h"

#define FIRST_CAPACITY	256u		/* less a part that differs by shard: they shall not all grow at once */
#define SHRINKS_FROM	384u		/* of which capacity on */
#define MOVE_STEP	32u
#define TRIES		64
#define WAITS		2000
#define WAIT_NS		50000

struct shard shards[NR_SHARDS];
static uint64_t limit_bytes;		/* set before any thread */

/* ---- locks ---- */

NOINLINE bool shard_wait_for(struct shard *shard, uint32_t taker)
{
	const struct timespec pause = { 0, WAIT_NS };

	for (int i = 0; i < TRIES + WAITS; i++) {
		uint32_t nobody = 0;

		if (__atomic_compare_exchange_n(&shard->owner, &nobody, taker, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
		if (nobody == taker)	/* we are in a handler that interrupted the holder */
			return false;
		if (i < TRIES || live_is_sealed())
			cpu_relax();
		else if (i < 2 * TRIES)
			raw_syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
		else
			raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	}
	return false;
}

void blocks_unlock(struct log_thread *thread)
{
	uint32_t lock = thread->heap_lock;

	if (lock && lock <= NR_SHARDS && shards[lock - 1].owner == thread->head.self)
		shard_unlock(&shards[lock - 1], thread, 0);
	thread->heap_lock = 0;
}

/* ---- memory ---- */

static uint64_t table_bytes(uint32_t capacity)
{
	return ((uint64_t)capacity * sizeof(struct entry) + LIVE_BYTES - 1) & ~(uint64_t)(LIVE_BYTES - 1);
}

static struct entry *map_entries(uint32_t capacity)
{
	uint64_t bytes = table_bytes(capacity);
	long place;

	if (live_is_sealed())
		return NULL;
	place = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | (live.reads_memory ? MAP_POPULATE : 0), -1, 0);
	if (sys_failed(place))
		return NULL;
	__atomic_fetch_add(&live.log->heap_table_bytes, bytes, __ATOMIC_RELAXED);
	return (struct entry *)place;
}

/* The capacity is never larger than what is there. */
static void set_now(struct shard *shard, struct entry *entries, uint32_t capacity)
{
	shard->least = 0;
	if (capacity < shard->now.capacity)
		shard->now.capacity = capacity;
	signal_fence();
	shard->now.entries = entries;
	signal_fence();
	shard->now.capacity = capacity;
	shard->now.used = 0;
}

static void set_old(struct shard *shard, const struct table *table)
{
	shard->moved = 0;
	shard->old.capacity = table->capacity;
	shard->old.used = table->used;
	signal_fence();
	shard->old.entries = table->entries;
	shard->has_work = true;
	signal_fence();
}

static void unmap_old(struct shard *shard)
{
	struct entry *entries = shard->old.entries;
	uint64_t bytes = table_bytes(shard->old.capacity);

	shard->has_work = shard->old_is_inherited = false;
	shard->old.entries = NULL;
	if (shard->now.capacity >= SHRINKS_FROM && !shard->shift)
		shard->least = shard->now.capacity / 5 * 2;
	signal_fence();
	if (live_is_sealed())
		return;
	sys_munmap(entries, bytes);
	__atomic_fetch_sub(&live.log->heap_table_bytes, bytes, __ATOMIC_RELAXED);
}

/* ---- growing ---- */

/* Whole clusters: what is left must be found from its home on. */
static void move_some(struct shard *shard)
{
	struct table *old = &shard->old;
	uint32_t at = shard->moved, enough = at + MOVE_STEP;
	struct block none;

	for (; at < old->capacity && (at < enough || old->entries[at].key); at++) {
		struct entry *entry = &old->entries[at];

		if (!entry->key)
			continue;
		if (sampled(shard, entry->key))
			put_into(&shard->now, entry->key, shard->old_is_inherited ? entry->value & ~VALUE_HEAP : entry->value,
				 &none);
		entry->key = 0;
		old->used--;
	}
	shard->moved = at;
	if (at == old->capacity)
		unmap_old(shard);
}

static void say_shift(uint32_t shift)
{
	uint32_t *said = &live.log->heap_shift, seen = *said;

	while (seen < shift && !__atomic_compare_exchange_n(said, &seen, shift, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Half of the limit is for whoever comes first, of the other half each shard has its share. */
static bool is_past_limit(uint32_t capacity)
{
	uint64_t bytes = table_bytes(capacity), half = limit_bytes / 2;

	return bytes > half / NR_SHARDS && __atomic_load_n(&live.log->heap_table_bytes, __ATOMIC_RELAXED) + bytes > half;
}

/* Past the limit half of the blocks are dropped instead. Without memory the table is filled further, see shard_grow(). */
static void grow(struct shard *shard)
{
	uint32_t capacity = shard->now.capacity, index = (uint32_t)(shard - shards);
	uint32_t wanted = capacity ? capacity + capacity / 2 : FIRST_CAPACITY - index % 16 * 8;
	bool is_limited = capacity && is_past_limit(wanted);
	struct table before;
	struct entry *entries;

	while (shard->old.entries)
		move_some(shard);
	before = shard->now;
	if (is_limited)
		wanted = capacity;
	entries = map_entries(wanted);
	if (!entries)
		return;
	if (is_limited)
		say_shift(++shard->shift);
	if (capacity)
		set_old(shard, &before);
	set_now(shard, entries, wanted);
	if (capacity)
		move_some(shard);
}

/* At 40 bytes a block. What is left fills three fifths. */
void shard_shrink(struct shard *shard)
{
	uint32_t wanted = shard->now.capacity / 3 * 2;
	struct entry *entries = map_entries(wanted);

	shard->least = 0;
	if (!entries)
		return;
	set_old(shard, &(struct table){ shard->now.entries, shard->now.capacity, shard->now.used });
	set_now(shard, entries, wanted);
	move_some(shard);
}

/* What the parent had becomes the old table. Without memory for another its blocks are forgotten. */
static void take_over(struct shard *shard)
{
	struct table before;
	struct entry *entries;

	shard->is_inherited = false;
	while (shard->old.entries)
		move_some(shard);
	before = shard->now;
	entries = map_entries(before.capacity);
	shard->old_is_inherited = true;
	set_old(shard, &before);
	set_now(shard, entries, entries ? before.capacity : 0);
	if (!entries)
		unmap_old(shard);
}

void shard_work(struct shard *shard)
{
	if (shard->is_inherited)
		take_over(shard);
	if (shard->old.entries)
		move_some(shard);
}

bool shard_grow(struct shard *shard)
{
	const struct table *table = &shard->now;

	grow(shard);
	return table->used + 2 + table->capacity / 32 <= table->capacity;
}

bool shard_take_from_old(struct shard *shard, uint64_t addr, struct block *block)
{
	if (!shard->old.entries || !take_from(&shard->old, addr, block))
		return false;
	if (shard->old_is_inherited)
		block->heap = 0;
	return true;
}

/* ---- as a whole ---- */

void blocks_init(uint64_t most_bytes)
{
	limit_bytes = most_bytes;
}

/* The fork may have come when the table was the old one already, and not replaced yet. */
static void find_tables(struct shard *shard)
{
	if (!shard->old.entries || shard->old.entries != shard->now.entries)
		return;
	shard->now = shard->old;
	shard->old.entries = NULL;
}

void blocks_inherit(void)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < NR_SHARDS; i++) {
		struct shard *shard = &shards[i];

		if (shard->owner)
			shard->owner = 0;
		if (!shard->now.entries)
			continue;
		find_tables(shard);
		bytes += table_bytes(shard->now.capacity) + (shard->old.entries ? table_bytes(shard->old.capacity) : 0);
		say_shift(shard->shift);
		shard->has_work = shard->is_inherited = true;
	}
	live.log->heap_table_bytes = bytes;
}

static uint64_t bytes_of(const struct table *table)
{
	uint64_t bytes = 0;
	struct block block;

	for (uint32_t at = 0; table->entries && at < table->capacity; at++) {
		if (!table->entries[at].key)
			continue;
		read_entry(&table->entries[at], &block);
		bytes += block.bytes;
	}
	return bytes;
}

uint64_t blocks_bytes(void)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < NR_SHARDS; i++) {
		find_tables(&shards[i]);
		bytes += (bytes_of(&shards[i].now) + bytes_of(&shards[i].old)) << shards[i].shift;
	}
	return bytes;
}
