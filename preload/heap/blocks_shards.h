/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way of each block into the table of live blocks and out of it: inline, since it is a third of what a pair costs. */
#ifndef INSIDEME_BLOCKS_SHARDS_H
#define INSIDEME_BLOCKS_SHARDS_H

#include "preload/heap/blocks_table.h"

#define NR_SHARDS	256u
#define REGION_SHIFT	20

struct shard {
	_Alignas(64) uint32_t owner;	/* the lock: ref of the thread that holds it, 0: nobody */
	uint32_t shift;			/* only blocks of which sampled() is true */
	struct table now;
	struct table old;		/* where it grows or shrinks: what was not moved yet */
	uint32_t moved;			/* places of old that are empty by now, for good */
	uint32_t least;			/* with fewer blocks it shrinks; 0: not now */
	bool has_work;			/* there is an old table, or the shard is inherited */
	bool is_inherited;		/* both tables are as the fork left them */
	bool old_is_inherited;		/* records in old are of the parent's log */
};

extern HIDDEN struct shard shards[NR_SHARDS];

static ALWAYS_INLINE struct shard *shard_of(uint64_t addr)
{
	return &shards[(addr >> REGION_SHIFT) * GOLDEN >> 56];
}

static ALWAYS_INLINE bool sampled(const struct shard *shard, uint64_t key)
{
	return !(hash_of(key) & ((1u << shard->shift) - 1));
}

/* Its holder may be preempted, or be interrupted by a handler that waits for us: so there is an end to it. */
bool shard_wait_for(struct shard *shard, uint32_t taker);

/* Return: what shard_unlock() takes, LOCK_FAILED. A handler may lock another shard in between. */
#define LOCK_FAILED UINT32_MAX
static ALWAYS_INLINE uint32_t shard_lock(struct shard *shard, struct log_thread *thread)
{
	uint32_t nobody = 0, outer = thread->heap_lock;

	if (unlikely(!__atomic_compare_exchange_n(&shard->owner, &nobody, thread->head.self, false, __ATOMIC_ACQUIRE,
						  __ATOMIC_RELAXED)) && !shard_wait_for(shard, thread->head.self))
		return LOCK_FAILED;
	thread->heap_lock = (uint32_t)(shard - shards) + 1;
	return outer;
}

static ALWAYS_INLINE void shard_unlock(struct shard *shard, struct log_thread *thread, uint32_t outer)
{
	thread->heap_lock = outer;
	__atomic_store_n(&shard->owner, 0, __ATOMIC_RELEASE);
}

/* What is rare: of a shard that is locked. */
void shard_work(struct shard *shard);	/* when it has_work */
bool shard_grow(struct shard *shard);	/* Return: whether there is room */
void shard_shrink(struct shard *shard);
bool shard_take_from_old(struct shard *shard, uint64_t addr, struct block *block);

static ALWAYS_INLINE bool is_full(const struct table *table)
{
	return table->used >= table->capacity - table->capacity / 16 * 3;
}

static ALWAYS_INLINE enum block_result put_locked(struct shard *shard, const struct block *block, struct block *replaced)
{
	uint64_t key = key_of(block), value = block->bytes << 32 | block->heap;

	if (unlikely(shard->has_work))
		shard_work(shard);
	if (unlikely(is_full(&shard->now)) && !shard_grow(shard))
		return BLOCK_LOST;
	if (unlikely(shard->shift) && !sampled(shard, key))
		return BLOCK_NOT_SAMPLED;
	if (unlikely(shard->has_work) && shard_take_from_old(shard, block->addr, replaced)) {
		put_into(&shard->now, key, value, replaced);
		return BLOCK_REPLACED;
	}
	return put_into(&shard->now, key, value, replaced);
}

/*
 * Callable from signal handlers: one that interrupted these functions on its own thread, in the same shard, gets
 * BLOCK_LOST.
 */
static ALWAYS_INLINE enum block_result blocks_put(struct log_thread *thread, const struct block *block, struct block *replaced)
{
	struct shard *shard = shard_of(block->addr);
	enum block_result result;
	uint32_t outer;

	if (unlikely(block->addr & ~KEY_BLOCK || block->bytes >= BLOCK_BYTES_MAX))
		return BLOCK_LOST;
	outer = shard_lock(shard, thread);
	if (unlikely(outer == LOCK_FAILED))
		return BLOCK_LOST;
	result = put_locked(shard, block, replaced);
	replaced->shift = (uint8_t)shard->shift;
	shard_unlock(shard, thread, outer);
	return result;
}

static ALWAYS_INLINE enum block_result blocks_take(struct log_thread *thread, const void *place, struct block *block)
{
	uint64_t addr = (uint64_t)place;
	struct shard *shard = shard_of(addr);
	enum block_result result = BLOCK_UNKNOWN;
	struct block old;
	uint32_t outer;

	if (unlikely(addr & ~KEY_BLOCK))
		return BLOCK_UNKNOWN;
	outer = shard_lock(shard, thread);
	if (unlikely(outer == LOCK_FAILED))
		return BLOCK_LOST;
	if (unlikely(shard->has_work))
		shard_work(shard);
	if (likely(shard->now.entries && take_from(&shard->now, addr, block))) {
		result = BLOCK_DONE;
		if (unlikely(shard->now.used < shard->least))
			shard_shrink(shard);
	} else if (shard->has_work && shard_take_from_old(shard, addr, &old)) {
		*block = old;	/* whose address is not given away: it may live in registers */
		result = BLOCK_DONE;
	}
	if (unlikely(shard->shift) && !sampled(shard, addr))
		result = BLOCK_NOT_SAMPLED;
	block->shift = (uint8_t)shard->shift;
	shard_unlock(shard, thread, outer);
	return result;
}

#endif
