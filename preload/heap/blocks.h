/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live blocks: which path allocated each, in a map beside the heap. Each granule, in which at most one block begins, has
 * an entry of 8 bytes, and the block's address gives the entry's place. The owner of a block owns its entry: so there is no
 * lock, and a signal handler or a fork finds each entry whole. The map is private memory, of which a forked child has a copy.
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
	BLOCK_UNKNOWN,			/* of a take: it is not in the map */
	BLOCK_NOT_SAMPLED,		/* the map is at its limit, and has no place for blocks of this window */
	BLOCK_LOST,			/* there is no memory for its part of the map, or its address is none of an allocator's */
};

/*
 * An entry. Bits 0 to 3: birth; 4: bit 4 of the address, where a granule has two places; 5: of the runtimes; 6: large; 7 to
 * 31: size; 32 to 63: number of the path's record, never 0. Sizes from 32 MiB on are large: their high bits are in a second
 * entry, of the next granule, whose number is ENTRY_REST.
 */
#define ENTRY_PLACE		(1ull << 4)
#define ENTRY_RUNTIMES		(1ull << 5)
#define ENTRY_LARGE		(1ull << 6)
#define ENTRY_SIZE_SHIFT	7
#define ENTRY_SIZE_BITS		25
#define ENTRY_REST		UINT32_MAX
#define BLOCK_BYTES_MAX		(1ull << (2 * ENTRY_SIZE_BITS))

#define PAGE_ENTRIES	(LIVE_BYTES / sizeof(uint64_t))	/* of the map's pages */
#define REGION_ENTRIES	(1u << 19)
#define REGION_PAGES	(REGION_ENTRIES / PAGE_ENTRIES)
#define TABLE_REGIONS	4096u
#define MAP_TABLES	8192u
#define ADDR_BITS	48
#define PAGE_GOES	(UINT16_MAX - 1)
#define PAGE_LEAVES	UINT16_MAX

/* The entries of one part of the heap: reserved as a whole, writable as far as needed. */
struct region {
	uint16_t pages[REGION_PAGES];	/* 0: not in use, its memory may not be touched; PAGE_LEAVES: it is empty and may go;
					   PAGE_GOES: it does; else a number that changes each time it comes into use; atomic */
	uint64_t steps;			/* which 64ths of the entries are writable; atomic */
	bool is_cut;			/* the others are not reserved any more; atomic */
	_Alignas(LIVE_BYTES) uint64_t entries[REGION_ENTRIES];
};

/* Tables are made with the first block of their part. All pointers are atomic, and stay once they are set. */
struct map {
	uint32_t granule_shift;		/* set before any thread */
	uint32_t shift;			/* > 0: only 1 window in 2^shift has entries; atomic */
	struct region **tables[MAP_TABLES];
};

/* Blocks of an allocator: the second map is of those at a page's 17th byte, glibc's mmapped ones, or with bit 3 set elsewhere. */
enum { MAP_HEAP, MAP_OTHERS, MAP_POOLS, MAP_POOLS_OTHERS, NR_MAPS };

extern HIDDEN struct maps {
	struct map of[NR_MAPS];
	uint64_t mmapped_bits;		/* set before any thread: which bits of an address tell glibc's mmapped blocks, */
	uint32_t numbers_before;	/* numbers of records up to this are of parents; set while there is one thread */
} live_map;

/* Where a block's entry lies. */
struct place {
	uint64_t *entry;
	uint16_t *page;
	uint16_t number;		/* that the page had when this was looked up */
};

#define MMAPPED_ADDR	16u
#define NO_BLOCKS_ADDR	(~0ull << ADDR_BITS | 15)

/* Of an unusual address. NULL: no allocator gives it out. */
struct map *blocks_map_of(uint64_t addr);

static ALWAYS_INLINE struct map *map_of(uint64_t addr)
{
	if (unlikely(addr & NO_BLOCKS_ADDR) || unlikely((addr & live_map.mmapped_bits) == MMAPPED_ADDR))
		return blocks_map_of(addr);
	return &live_map.of[MAP_HEAP];
}

/* Return: whether there is such a place, and it is usable. */
static ALWAYS_INLINE bool map_find(const struct map *map, uint64_t addr, struct place *place)
{
	uint64_t granule = addr >> map->granule_shift, at = granule % REGION_ENTRIES, number = granule / REGION_ENTRIES;
	struct region **table = __atomic_load_n(&map->tables[number / TABLE_REGIONS], __ATOMIC_ACQUIRE), *region;

	if (unlikely(!table))
		return false;
	region = __atomic_load_n(&table[number % TABLE_REGIONS], __ATOMIC_ACQUIRE);
	if (unlikely(!region))
		return false;
	place->page = &region->pages[at / PAGE_ENTRIES];
	place->number = __atomic_load_n(place->page, __ATOMIC_ACQUIRE);
	place->entry = &region->entries[at];
	return place->number;
}

static ALWAYS_INLINE uint64_t entry_of(const struct block *block)
{
	return ((uint64_t)block->heap + live_map.numbers_before) << 32 | (uint32_t)(block->bytes << ENTRY_SIZE_SHIFT) |
	       (block->bytes >> ENTRY_SIZE_BITS ? ENTRY_LARGE : 0) | (block->is_runtimes ? ENTRY_RUNTIMES : 0) |
	       (block->addr & ENTRY_PLACE) | block->birth;
}

static ALWAYS_INLINE void read_entry(uint64_t addr, uint64_t entry, struct block *block)
{
	uint32_t number = (uint32_t)(entry >> 32);

	block->addr = addr;
	block->bytes = (uint32_t)entry >> ENTRY_SIZE_SHIFT;
	block->heap = number > live_map.numbers_before ? number - live_map.numbers_before : 0;
	block->birth = entry % LOG_HEAP_BIRTHS;
	block->is_runtimes = entry & ENTRY_RUNTIMES;
}

/*
 * Enter a block, where that is done at once. Callable from signal handlers, as all of these. A page whose entries are all 0 may
 * go at any time: then its number has changed, and the entry is written again, by blocks_put().
 */
static ALWAYS_INLINE bool blocks_put_at_once(const struct block *block)
{
	struct map *map = map_of(block->addr);
	struct place place;

	if (unlikely(!map || !map_find(map, block->addr, &place) || place.number >= PAGE_GOES ||
		     *place.entry | block->bytes >> ENTRY_SIZE_BITS))
		return false;
	__atomic_store_n(place.entry, entry_of(block), __ATOMIC_RELAXED);
	signal_fence();
	if (likely(__atomic_load_n(place.page, __ATOMIC_RELAXED) == place.number))
		return true;
	__atomic_store_n(place.entry, 0, __ATOMIC_RELAXED);
	return false;
}

/* Is it worth to look for a block? */
static ALWAYS_INLINE bool blocks_may_have(const void *addr)
{
	struct map *map = map_of((uint64_t)addr);
	struct place place;

	return map && map_find(map, (uint64_t)addr, &place) && *place.entry;
}

/* Take a block out, where that is done at once and it stands for itself alone. */
static ALWAYS_INLINE bool blocks_take_at_once(const void *addr, struct block *block)
{
	struct map *map = map_of((uint64_t)addr);
	struct place place;
	uint64_t entry;

	if (unlikely(!map || !map_find(map, (uint64_t)addr, &place)))
		return false;
	entry = __atomic_load_n(place.entry, __ATOMIC_RELAXED);
	if (unlikely(!entry || map->shift || (entry ^ ((uint64_t)addr & ENTRY_PLACE)) & (ENTRY_PLACE | ENTRY_LARGE)))
		return false;
	__atomic_store_n(place.entry, 0, __ATOMIC_RELAXED);
	read_entry((uint64_t)addr, entry, block);
	block->shift = 0;
	return true;
}

/* The same of any block. */
enum block_result blocks_put(const struct block *block, struct block *replaced);
enum block_result blocks_take(const void *addr, struct block *block);

/* Constructor, or the first hook. @is_libcs: the allocator is glibc's. @limit_bytes: most memory for the maps. */
void blocks_init(bool is_libcs, uint64_t limit_bytes);

/* The process's address space has a limit: @bytes of it are for the maps, from now on. */
void blocks_limit_space(uint64_t bytes);

/* Give up address space that is reserved and not writable yet. */
void blocks_cut(void);

/* Give back some of those pages of the maps that hold nothing any more, by turns. Return: whether that was the last turn. */
bool blocks_return_some(void);

/*
 * In a forked child whose log is live.log: the blocks that it inherits live on, but their records are of another log, which
 * has used @nr_refs at most. While there is one thread.
 */
void blocks_inherit(uint64_t nr_refs);

/* The sum of all of them, looked up one by one: in the child of a raw clone, before that. */
uint64_t blocks_bytes(void);

#endif
