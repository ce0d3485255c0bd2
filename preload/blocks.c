/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of live blocks. A shard holds the blocks of some regions of 1 MiB, so that threads, whose allocators work
 * in regions of their own, seldom meet in one. Open addressing with linear probing; a place in the table grows with the
 * hash, so that growing reads and writes in order. A shard grows by a half, and moves some entries at each step until
 * the old table is empty: no step takes long, however large the table is.
 */
#include "blocks.h"

#include <sys/mman.h>

#include "live.h"
#include "syscalls.h"

#define NR_SHARDS	256u
#define REGION_SHIFT	20
#define GOLDEN		0x9e3779b97f4a7c15ull
#define FIRST_CAPACITY	256u		/* less a part that differs by shard: they shall not all grow at once */
#define MOVE_STEP	32u
#define TRIES		64
#define WAITS		2000
#define WAIT_NS		50000

/*
 * 16 bytes. key: bit 0: of the runtimes; bit 1: BLOCK_OF_POOL; bits 3 to 47: the address; 48 to 51: birth; 52 to 63: high bits of the size.
 * value: low bits of the size above the record's ref. key is 0 where the place is free, and written last.
 */
struct entry {
	uint64_t key;
	uint64_t value;
};
#define KEY_ADDR	0x0000fffffffffff8ull
#define KEY_BLOCK	(KEY_ADDR | BLOCK_OF_POOL)	/* which block it is */
#define KEY_RUNTIMES	1ull
#define KEY_BIRTH_SHIFT	48
#define KEY_SIZE_SHIFT	52
#define BYTES_MAX	(1ull << 44)

struct table {
	struct entry *entries;		/* NULL: none */
	uint32_t capacity;
	uint32_t used;
};

struct shard {
	_Alignas(64) uint32_t owner;	/* the lock: ref of the thread that holds it, 0: nobody */
	uint32_t shift;			/* only blocks of which sampled() is true */
	struct table now;
	struct table old;		/* where it grows: what was not moved yet */
	uint32_t moved;			/* places of old that are empty by now, for good */
};

/* Wiped in a forked child; the tables themselves are not even there. */
static struct {
	_Alignas(LIVE_BYTES) struct shard shards[NR_SHARDS];
} all;

static uint64_t limit_bytes;		/* set before any thread */

static ALWAYS_INLINE struct shard *shard_of(uint64_t addr)
{
	return &all.shards[(addr >> REGION_SHIFT) * GOLDEN >> 56];
}

static ALWAYS_INLINE uint32_t hash_of(uint64_t key)
{
	return (uint32_t)((key & KEY_ADDR) * GOLDEN >> 32);
}

static ALWAYS_INLINE uint32_t home_of(const struct table *table, uint64_t key)
{
	return (uint32_t)((uint64_t)hash_of(key) * table->capacity >> 32);
}

static ALWAYS_INLINE bool sampled(const struct shard *shard, uint64_t key)
{
	return !(hash_of(key) & ((1u << shard->shift) - 1));
}

static ALWAYS_INLINE uint32_t after(const struct table *table, uint32_t place)
{
	return likely(place + 1 < table->capacity) ? place + 1 : 0;
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
	thread->heap_lock = (uint32_t)(shard - all.shards) + 1;
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

	if (lock && lock <= NR_SHARDS && all.shards[lock - 1].owner == thread->head.self)
		unlock(&all.shards[lock - 1], thread, 0);
	thread->heap_lock = 0;
}

/* ---- memory ---- */

static uint64_t table_bytes(uint32_t capacity)
{
	return ((uint64_t)capacity * sizeof(struct entry) + LIVE_BYTES - 1) & ~(uint64_t)(LIVE_BYTES - 1);
}

/* Not for children: their fork is the cheaper, and our pages are not copied. */
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
	sys_madvise((void *)place, bytes, MADV_DONTFORK);
	__atomic_fetch_add(&live.log->heap_table_bytes, bytes, __ATOMIC_RELAXED);
	return (struct entry *)place;
}

static void unmap_old(struct shard *shard)
{
	uint64_t bytes = table_bytes(shard->old.capacity);

	if (!live_is_sealed()) {
		sys_munmap(shard->old.entries, bytes);
		__atomic_fetch_sub(&live.log->heap_table_bytes, bytes, __ATOMIC_RELAXED);
	}
	shard->old = (struct table){ .entries = NULL };
}

/* ---- entries ---- */

static ALWAYS_INLINE void write_entry(struct table *table, uint32_t place, uint64_t key, uint64_t value)
{
	table->entries[place].value = value;
	signal_fence();
	table->entries[place].key = key;
}

static uint64_t key_of(const struct block *block)
{
	return block->addr | (block->is_runtimes ? KEY_RUNTIMES : 0) | (uint64_t)block->birth << KEY_BIRTH_SHIFT |
	       block->bytes >> 32 << KEY_SIZE_SHIFT;
}

static void read_entry(const struct entry *entry, struct block *block)
{
	block->addr = entry->key & KEY_BLOCK;
	block->bytes = entry->key >> KEY_SIZE_SHIFT << 32 | entry->value >> 32;
	block->heap = (uint32_t)entry->value;
	block->birth = entry->key >> KEY_BIRTH_SHIFT & (LOG_HEAP_BIRTHS - 1);
	block->is_runtimes = entry->key & KEY_RUNTIMES;
}

/* Free @hole, and close the gap by entries that may lie nearer to their homes. */
static ALWAYS_INLINE void remove_at(struct table *table, uint32_t hole)
{
	for (uint32_t at = after(table, hole); table->entries[at].key; at = after(table, at)) {
		uint32_t home = home_of(table, table->entries[at].key);
		bool stays = hole < at ? home > hole && home <= at : home > hole || home <= at;

		if (stays)
			continue;
		write_entry(table, hole, table->entries[at].key, table->entries[at].value);
		hole = at;
	}
	table->entries[hole].key = 0;
	table->used--;
}

static ALWAYS_INLINE bool take_from(struct table *table, uint64_t addr, struct block *block)
{
	for (uint32_t at = home_of(table, addr); table->entries[at].key; at = after(table, at)) {
		if (((table->entries[at].key ^ addr) & KEY_BLOCK) != 0)
			continue;
		read_entry(&table->entries[at], block);
		remove_at(table, at);
		return true;
	}
	return false;
}

static ALWAYS_INLINE enum block_result put_into(struct table *table, uint64_t key, uint64_t value, struct block *replaced)
{
	enum block_result result = BLOCK_DONE;
	uint32_t at;

	for (at = home_of(table, key); table->entries[at].key; at = after(table, at)) {
		if (((table->entries[at].key ^ key) & KEY_BLOCK) != 0)
			continue;
		read_entry(&table->entries[at], replaced);
		result = BLOCK_REPLACED;
		table->used--;
		break;
	}
	write_entry(table, at, key, value);
	table->used++;
	return result;
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
			put_into(&shard->now, entry->key, entry->value, &none);
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
	uint32_t capacity = shard->now.capacity, index = (uint32_t)(shard - all.shards);
	uint32_t wanted = capacity ? capacity + capacity / 2 : FIRST_CAPACITY - index % 16 * 8;
	bool is_limited = capacity && is_past_limit(wanted);
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
	shard->moved = 0;
	shard->old = shard->now;
	shard->now = (struct table){ entries, wanted, 0 };
	if (capacity)
		move_some(shard);
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

bool blocks_init(uint64_t most_bytes)
{
	limit_bytes = most_bytes;
	return sys_madvise(&all, sizeof(all), MADV_WIPEONFORK) == 0;
}

void blocks_reset(void)
{
	for (uint32_t i = 0; i < NR_SHARDS; i++)
		if (all.shards[i].now.entries)
			all.shards[i] = (struct shard){ .owner = 0 };
}

static enum block_result put(struct shard *shard, const struct block *block, struct block *replaced)
{
	uint64_t key = key_of(block), value = block->bytes << 32 | block->heap;

	if (unlikely(shard->old.entries))
		move_some(shard);
	if (unlikely(is_full(&shard->now)))
		grow(shard);
	if (unlikely(is_at_end(&shard->now)))
		return BLOCK_LOST;
	if (unlikely(!sampled(shard, key)))
		return BLOCK_NOT_SAMPLED;
	if (unlikely(shard->old.entries) && take_from(&shard->old, block->addr, replaced)) {
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

	if (unlikely(block->addr & ~KEY_BLOCK || block->bytes >= BYTES_MAX))
		return BLOCK_LOST;
	outer = lock(shard, thread);
	if (unlikely(outer == LOCK_FAILED))
		return BLOCK_LOST;
	result = put(shard, block, replaced);
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
	if (unlikely(shard->old.entries))
		move_some(shard);
	if (likely(shard->now.entries && take_from(&shard->now, addr, block)) ||
	    (shard->old.entries && take_from(&shard->old, addr, block)))
		result = BLOCK_DONE;
	if (unlikely(!sampled(shard, addr)))
		result = BLOCK_NOT_SAMPLED;
	block->shift = (uint8_t)shard->shift;
	unlock(shard, thread, outer);
	return result;
}
