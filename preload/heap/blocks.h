/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live blocks: which path allocated each. They are in a map beside the heap: each granule of the heap, in
 * which at most one block begins, has an entry of 8 bytes at a place given by the block's address. The owner
 * of a block owns its entry. So there is no lock, and a signal handler or a forked child finds every entry
 * whole. The map is private memory, of which a forked child has a copy.
 */
#pragma once

#include "preload/state/live.h"

/* Set in the address of a pool's block, which may lie where malloc's block for the pool lies. */
#define BLOCK_OF_POOL	2ull

struct block {
	uint64_t addr;
	uint64_t bytes;
	uint32_t heap;		/* ref of the log_heap of its path, 0: allocated before the fork */
	uint8_t birth;		/* index into log_heap.births */
	bool is_runtimes;	/* the C and C++ runtimes keep it for themselves */
	uint8_t shift;		/* in a block that was taken: it stands for 2^shift blocks */
};

enum block_result {
	BLOCK_DONE,
	BLOCK_REPLACED,		/* put, over a block whose free was not seen */
	BLOCK_UNKNOWN,		/* taken: it is not in the map */
	BLOCK_NOT_SAMPLED,	/* the map is at its limit, and leaves out the window of this block */
	BLOCK_LOST,		/* no memory for this part of the map, or no allocator has such addresses */
};

/*
 * An entry. Bits 0 to 3: birth; 4: bit 4 of the address, because a granule may have two places; 5: of the
 * runtimes; 6: large; 7 to 31: size; 32 to 63: number of the path's record, never 0. A large block has 32 MiB
 * or more: the next granule, which belongs to the same block, has the high bits of the size, ENTRY_LARGE, and
 * ENTRY_REST as number.
 */
#define ENTRY_PLACE		(1ull << 4)
#define ENTRY_RUNTIMES		(1ull << 5)
#define ENTRY_LARGE		(1ull << 6)
#define ENTRY_SIZE_SHIFT	7
#define ENTRY_SIZE_BITS		25
#define ENTRY_REST		UINT32_MAX

/*
 * The map is a tree of three levels over pages of entries. A slot of the lowest level is 0, or the address of
 * its page with one state and a generation in its low bits. The generation changes whenever the page comes
 * into use. A page stays mapped for ever.
 */
#define PAGE_ENTRIES	(LIVE_BYTES / sizeof(uint64_t))
#define TABLE_BITS	12u
#define TABLE_SLOTS	(1u << TABLE_BITS)
#define ROOT_SLOTS	2048u
#define SLOT_USED	1ull
#define SLOT_LEAVES	2ull	/* it looks empty, and is about to go */
#define SLOT_GOES	4ull	/* its memory is being given back: nothing may be written there */
#define SLOT_EMPTY	8ull	/* its memory is gone */
#define SLOT_STATES	15ull
#define SLOT_GENERATION	16ull

struct table {
	uint64_t slots[TABLE_SLOTS];	/* atomic */
};

struct tables {
	struct table *of[TABLE_SLOTS];	/* atomic; stays once it is set, as do the next ones */
};

struct map {
	uint32_t granule_shift;		/* set before any thread */
	uint32_t shift;			/* > 0: only 1 window in 2^shift has entries; atomic */
	struct tables *parts[ROOT_SLOTS];	/* atomic */
};

/*
 * MAP_OTHERS: blocks that glibc maps singly; with other allocators, blocks whose address has bit 3 set, as in
 * MAP_POOLS_OTHERS.
 */
enum { MAP_HEAP, MAP_OTHERS, MAP_POOLS, MAP_POOLS_OTHERS, NR_MAPS };

extern HIDDEN struct maps {
	struct map of[NR_MAPS];
	uint32_t numbers_before;	/* the highest number of a parent's record; set by the only thread */
	uint32_t unusual_numbers;	/* the same, or UINT32_MAX where blocks are sampled; atomic */
} live_map;

/* The place of a block's entry. */
struct place {
	uint64_t *entry;
	uint64_t *slot;
	uint64_t seen;		/* the slot's value when it was read */
};

#define ADDR_BITS	48
#define UNUSUAL_ADDR	(~0ull << ADDR_BITS | 15)	/* bits that are 0 in addresses of MAP_HEAP */
#define SINGLE_BYTES	(64ull << 10)	/* smaller blocks are in MAP_HEAP, however they are mapped */

/* Is this an address at which glibc maps a block singly? */
static ALWAYS_INLINE bool is_single_addr(uint64_t addr)
{
	return addr % 4096 == 16;
}

/* The slot of page number @page of a map; NULL: there is none yet. */
static ALWAYS_INLINE uint64_t *map_slot(const struct map *map, uint64_t page)
{
	struct tables *tables = __atomic_load_n(&map->parts[page >> 2 * TABLE_BITS], __ATOMIC_ACQUIRE);
	struct table *table;

	if (unlikely(!tables))
		return NULL;
	table = __atomic_load_n(&tables->of[page >> TABLE_BITS & (TABLE_SLOTS - 1)], __ATOMIC_ACQUIRE);
	return likely(table) ? &table->slots[page & (TABLE_SLOTS - 1)] : NULL;
}

/* Return: the slot's content, 0: there is no entry. */
static ALWAYS_INLINE uint64_t map_find(const struct map *map, uint64_t addr, struct place *place)
{
	uint64_t granule = addr >> map->granule_shift;

	place->slot = map_slot(map, granule / PAGE_ENTRIES);
	if (unlikely(!place->slot))
		return 0;
	place->seen = __atomic_load_n(place->slot, __ATOMIC_ACQUIRE);
	place->entry = (uint64_t *)(place->seen & ~(LIVE_BYTES - 1ull)) + granule % PAGE_ENTRIES;
	return place->seen;
}

/*
 * Return: whether the entry is sure to stay. A page without entries may be removed at any time. The removing
 * thread announces that in the page's slot, makes all threads pass a barrier, and looks at the page again. So
 * either it sees this entry, or its announcement is seen here.
 */
static ALWAYS_INLINE bool place_write(const struct place *place, uint64_t entry)
{
	__atomic_store_n(place->entry, entry, __ATOMIC_RELAXED);
	signal_fence();
	return likely(__atomic_load_n(place->slot, __ATOMIC_RELAXED) == place->seen);
}

static ALWAYS_INLINE uint64_t entry_of(const struct block *block)
{
	return ((uint64_t)block->heap + live_map.numbers_before) << 32 |
	       (uint32_t)(block->bytes << ENTRY_SIZE_SHIFT) |
	       (block->bytes >> ENTRY_SIZE_BITS ? ENTRY_LARGE : 0) |
	       (block->is_runtimes ? ENTRY_RUNTIMES : 0) | (block->addr & ENTRY_PLACE) | block->birth;
}

/* For entries of this log. In older ones the number is not above numbers_before. */
static ALWAYS_INLINE void read_entry(uint64_t addr, uint64_t entry, struct block *block)
{
	block->addr = addr;
	block->bytes = (uint32_t)entry >> ENTRY_SIZE_SHIFT;
	block->heap = (uint32_t)(entry >> 32) - live_map.numbers_before;
	block->birth = entry % LOG_HEAP_BIRTHS;
	block->is_runtimes = entry & ENTRY_RUNTIMES;
}

/*
 * The usual case of blocks_put(). Return: whether that was done; if not, nothing has changed. Callable from
 * signal handlers, as all functions here.
 */
static ALWAYS_INLINE bool blocks_put_at_once(const struct block *block)
{
	struct place place;

	if (unlikely(block->addr & UNUSUAL_ADDR || block->bytes >= SINGLE_BYTES ||
		     !(map_find(&live_map.of[MAP_HEAP], block->addr, &place) & SLOT_USED) || *place.entry))
		return false;
	if (place_write(&place, entry_of(block)))
		return true;
	__atomic_store_n(place.entry, 0, __ATOMIC_RELAXED);
	return false;
}

/*
 * Find a block of this log that is not large, not the runtimes', and stands only for itself. @place may be
 * passed to blocks_drop().
 */
static ALWAYS_INLINE bool blocks_find_usual(const void *block_addr, struct place *place, struct block *block)
{
	uint64_t addr = (uint64_t)block_addr, entry;

	if (unlikely(addr & UNUSUAL_ADDR || !map_find(&live_map.of[MAP_HEAP], addr, place)))
		return false;
	entry = __atomic_load_n(place->entry, __ATOMIC_RELAXED);
	if (unlikely(entry >> 32 <= live_map.unusual_numbers ||
		     (entry ^ (addr & ENTRY_PLACE)) & (ENTRY_PLACE | ENTRY_LARGE | ENTRY_RUNTIMES)))
		return false;
	read_entry(addr, entry, block);
	return true;
}

static ALWAYS_INLINE void blocks_drop(const struct place *place)
{
	__atomic_store_n(place->entry, 0, __ATOMIC_RELAXED);
}

/* May there be an entry for the block? */
static ALWAYS_INLINE bool blocks_may_have(const void *block_addr)
{
	uint64_t addr = (uint64_t)block_addr;
	struct place place;

	if (unlikely(addr & UNUSUAL_ADDR || is_single_addr(addr)))
		return true;
	return map_find(&live_map.of[MAP_HEAP], addr, &place) && *place.entry;
}

enum block_result blocks_put(const struct block *block, struct block *replaced);
enum block_result blocks_take(const void *addr, struct block *block);

/* Constructor, or the first hook. @is_libcs: the allocator is glibc's. @limit_bytes: for all maps. */
void blocks_init(bool is_libcs, uint64_t limit_bytes);

/* The process's address space has a limit. Take @bytes of it for the maps now, and no more later. */
void blocks_limit_space(uint64_t bytes);

/* The address space that is mapped and not used yet; and give it up. */
uint64_t blocks_spare_bytes(void);
void blocks_cut(void);

/* Give back pages without entries, some in each call. Return: whether that was the last call of a walk. */
bool blocks_return_some(void);

/*
 * In a forked child whose log is live.log: the blocks that it inherits live on, but their records are in
 * another log, which has used @nr_refs at most. While there is one thread.
 */
void blocks_inherit(uint64_t nr_refs);

/* The bytes of all live blocks, by a walk: in the child of a raw clone, before blocks_inherit(). */
uint64_t blocks_bytes(void);
