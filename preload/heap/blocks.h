/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of live blocks: what was allocated where. Private memory, in shards by the block's address, each under a
 * lock that is tried and never waited for without a bound: a signal handler may have interrupted who holds it. A
 * forked child, however it was made, has a copy.
 */
#ifndef INSIDEME_BLOCKS_H
#define INSIDEME_BLOCKS_H

#include "preload/state/live.h"

/* In an address, whose low three bits are 0 else: of a pool, which may lie where the block lies that malloc gave to the pool. */
#define BLOCK_OF_POOL	2ull

struct block {
	uint64_t addr;
	uint64_t bytes;
	uint32_t heap;			/* ref of the log_heap of the path that allocated it, 0: allocated before the fork */
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

/* Constructor, or the first hook. @limit_bytes: most memory for the table. */
void blocks_init(uint64_t limit_bytes);

/*
 * In a forked child whose log is live.log: the blocks that it inherits live on, but their records are of another log.
 * While there is one thread.
 */
void blocks_inherit(void);

/* The sum of all of them, looked up one by one: in the child of a raw clone, before that. */
uint64_t blocks_bytes(void);

/* The calling thread jumps out of whatever its signal handlers interrupted: give back the lock that it may hold. */
void blocks_unlock(struct log_thread *thread);

#endif
