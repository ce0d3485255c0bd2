/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of live blocks. A shard holds the blocks of some regions of 1 MiB, so that threads, whose allocators work
 * in regions of their own, seldom meet in one. A shard grows by a half, and moves some entries at each step until
 * the old table is empty: no step takes long, however large the table is.
 *
 * A process may be forked at any instant, while other threads are in here. So pointers and capacities are written in an
 * order that the child can follow: what it finds of a change that was on its way is a block too many or too few.
 */
#include "blocks_table.h"

#include <sys/mman.h>

#include "live.h"
#include "syscalls.h"

#define NR_SHARDS	256u
#define REGION_SHIFT	20
#define FIRST_CAPACITY	256u		/* less a part that differs by shard: they shall not all grow at once */
#define MOVE_STEP	32u
#define TRIES		64
#define WAITS		2000
#define WAIT_NS		50000

struct shard {
	_Alignas(64) uint32_t owner;	/* the lock: ref of the thread that holds it, 0: nobody */
	uint32_t shift;			/* only blocks of which sampled() is true */
	struct table now;
	struct table old;		/* where it grows: what was not moved yet */
	uint32_t moved;			/* places of old that are empty by now, for good */
	bool is_inherited;		/* both tables are as the fork left them */
	bool old_is_inherited;		/* records in old are of the parent's log */
};

static struct shard shards[NR_SHARDS];
static uint64_t limit_bytes;		/* set before any thread */

static ALWAYS_INLINE struct shard *shard_of(uint64_t addr)
{
	return &shards[(addr >> REGION_SHIFT) * GOLDEN >> 56];
}

static ALWAYS_INLINE bool sampled(const struct shard *shard, uint64_t key)
{
	return !(hash_of(key) & ((1u << shard->shift) - 1));
}

/* ---- locks ---- */

/* Its holder may be preempted, or be interrupted by a handler that waits for us: so there is an end to it. */
static NOINLINE bool wait_for(struct shard *shard, uint32_t taker)
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

/* Return: what unlock() takes, LOCK_FAILED. A handler may lock another shard in between. */
#define LOCK_FAILED UINT32_MAX
static ALWAYS_INLINE uint32_t lock(struct shard *shard, struct log_thread *thread)
{
	uint32_t nobody = 0, outer = thread->heap_lock;

	if (unlikely(!__atomic_compare_exchange_n(&shard->owner, &nobody, thread->head.self, false, __ATOMIC_ACQUIRE,
						  __ATOMIC_RELAXED)) && !wait_for(shard, thread->head.self))
		return LOCK_FAILED;
	thread->heap_lock = (uint32_t)(shard - shards) + 1;
	return outer;
}

static ALWAYS_INLINE void unlock(struct shard *shard, struct log_thread *thread, uint32_t outer)
{
	thread->heap_lock = outer;
	__atomic_store_n(&shard->owner, 0, __ATOMIC_RELEASE);
}

void blocks_unlock(struct log_thread *thread)
{
	uint32_t lock = thread->heap_lock;

	if (lock && lock <= NR_SHARDS && shards[lock - 1].owner == thread->head.self)
		unlock(&shards[lock - 1], thread, 0);
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

static void set_now(struct shard *shard, struct entry *entries, uint32_t capacity)
{
	shard->now.entries = entries;	/* never larger than what is there: capacities do not fall */
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
}

static void unmap_old(struct shard *shard)
{
	struct entry *entries = shard->old.entries;
	uint64_t bytes = table_bytes(shard->old.capacity);

	shard->old_is_inherited = false;
	shard->old.entries = NULL;
	signal_fence();
	if (live_is_sealed())
		return;
	sys_munmap(entries, bytes);
	__atomic_fetch_sub(&live.log->heap_table_bytes, bytes, __ATOMIC_RELAXED);
}

/* ---- growing ---- */

/* Whole clusters: what is left must be found from its home on. */
static NOINLINE void move_some(struct shard *shard)
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

/* Past the limit half of the blocks are dropped instead. Without memory the table is filled further, see is_at_end(). */
static NOINLINE void grow(struct shard *shard)
{
	uint32_t capacity = shard->now.capacity, index = (uint32_t)(shard - shards);
	uint32_t wanted = capacity ? capacity + capacity / 2 : FIRST_CAPACITY - index % 16 * 8;
	bool is_limited = capacity && is_past_limit(wanted);
	struct table before = shard->now;
	struct entry *entries;

	while (shard->old.entries)
		move_some(shard);
	if (is_limited)
		wanted = capacity;
	entries = map_entries(wanted);
	if (!entries)
		return;
	if (is_limited)
		say_shift(++shard->shift);
	set_now(shard, entries, wanted);
	if (!capacity)
		return;
	set_old(shard, &before);
	move_some(shard);
}

/* What the parent had becomes the old table. Without memory for another its blocks are forgotten. */
static NOINLINE void take_over(struct shard *shard)
{
	struct table before;
	struct entry *entries;

	shard->is_inherited = false;
	while (shard->old.entries)
		move_some(shard);
	before = shard->now;
	entries = map_entries(before.capacity);
	set_now(shard, entries, entries ? before.capacity : 0);
	shard->old_is_inherited = true;
	set_old(shard, &before);
	if (!entries)
		unmap_old(shard);
}

static ALWAYS_INLINE bool is_full(const struct table *table)
{
	return table->used >= table->capacity - table->capacity / 16 * 3;
}

static bool is_at_end(const struct table *table)
{
	return table->used + 2 + table->capacity / 32 > table->capacity;
}

/* ---- */

void blocks_init(uint64_t most_bytes)
{
	limit_bytes = most_bytes;
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
		bytes += table_bytes(shard->now.capacity) + (shard->old.entries ? table_bytes(shard->old.capacity) : 0);
		say_shift(shard->shift);
		shard->is_inherited = true;
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

	for (uint32_t i = 0; i < NR_SHARDS; i++)
		bytes += (bytes_of(&shards[i].now) + bytes_of(&shards[i].old)) << shards[i].shift;
	return bytes;
}

static bool take_from_old(struct shard *shard, uint64_t addr, struct block *block)
{
	if (!take_from(&shard->old, addr, block))
		return false;
	if (shard->old_is_inherited)
		block->heap = 0;
	return true;
}

static enum block_result put_locked(struct shard *shard, const struct block *block, struct block *replaced)
{
	uint64_t key = key_of(block), value = block->bytes << 32 | block->heap;

	if (unlikely(shard->is_inherited))
		take_over(shard);
	if (unlikely(shard->old.entries))
		move_some(shard);
	if (unlikely(is_full(&shard->now)))
		grow(shard);
	if (unlikely(is_at_end(&shard->now)))
		return BLOCK_LOST;
	if (unlikely(!sampled(shard, key)))
		return BLOCK_NOT_SAMPLED;
	if (unlikely(shard->old.entries) && take_from_old(shard, block->addr, replaced)) {
		put_into(&shard->now, key, value, replaced);
		return BLOCK_REPLACED;
	}
	return put_into(&shard->now, key, value, replaced);
}

enum block_result blocks_put(struct log_thread *thread, const struct block *block, struct block *replaced)
{
	struct shard *shard = shard_of(block->addr);
	enum block_result result;
	uint32_t outer;

	if (unlikely(block->addr & ~KEY_BLOCK || block->bytes >= BLOCK_BYTES_MAX))
		return BLOCK_LOST;
	outer = lock(shard, thread);
	if (unlikely(outer == LOCK_FAILED))
		return BLOCK_LOST;
	result = put_locked(shard, block, replaced);
	replaced->shift = (uint8_t)shard->shift;
	unlock(shard, thread, outer);
	return result;
}

enum block_result blocks_take(struct log_thread *thread, const void *place, struct block *block)
{
	uint64_t addr = (uint64_t)place;
	struct shard *shard = shard_of(addr);
	enum block_result result = BLOCK_UNKNOWN;
	uint32_t outer;

	if (unlikely(addr & ~KEY_BLOCK))
		return BLOCK_UNKNOWN;
	outer = lock(shard, thread);
	if (unlikely(outer == LOCK_FAILED))
		return BLOCK_LOST;
	if (unlikely(shard->is_inherited))
		take_over(shard);
	if (unlikely(shard->old.entries))
		move_some(shard);
	if (likely(shard->now.entries && take_from(&shard->now, addr, block)) ||
	    (shard->old.entries && take_from_old(shard, addr, block)))
		result = BLOCK_DONE;
	if (unlikely(!sampled(shard, addr)))
		result = BLOCK_NOT_SAMPLED;
	block->shift = (uint8_t)shard->shift;
	unlock(shard, thread, outer);
	return result;
}
