/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of live blocks: what was allocated where. Private memory, in shards by the block's address, each under a
 * lock that is tried and never waited for without a bound: a signal handler may have interrupted who holds it. A
 * forked child, however it was made, begins with an empty table.
 */
#ifndef INSIDEME_BLOCKS_H
#define INSIDEME_BLOCKS_H

#include "live.h"

/* In an address, whose low three bits are 0 else: of a pool, which may lie where the block lies that malloc gave to the pool. */
#define BLOCK_OF_POOL	2ull

struct block {
	uint64_t addr;
	uint64_t bytes;
	uint32_t heap;			/* ref of the log_heap of the path that allocated it */
	uint8_t birth;			/* index into log_heap.births */
	bool is_runtimes;		/* of the C and C++ runtimes' own */
	uint8_t shift;			/* of a taken one: it stands for 2^shift blocks */
};

enum block_result {
	BLOCK_DONE,
	BLOCK_REPLACED,			/* of a put: its place was taken by one whose free was not seen */
	BLOCK_UNKNOWN,			/* of a take: it is not in the table */
	BLOCK_NOT_SAMPLED,		/* the table is at its limit, and this block is none of those that it still holds */
	BLOCK_LOST,			/* no memory, or the lock could not be had */
};

/* Constructor only. @limit_bytes: most memory for the table. Return: whether there can be one. */
bool blocks_init(uint64_t limit_bytes);

/* Forget all of them: their records are of a log that is not used any more. While there is one thread. */
void blocks_reset(void);

/*
 * Callable from signal handlers: one that interrupted these functions on its own thread, in the same shard, gets
 * BLOCK_LOST.
 */
enum block_result blocks_put(struct log_thread *thread, const struct block *block, struct block *replaced);
enum block_result blocks_take(struct log_thread *thread, const void *place, struct block *block);

/* The calling thread jumps out of whatever its signal handlers interrupted: give back the lock that it may hold. */
void blocks_unlock(struct log_thread *thread);

#endif
