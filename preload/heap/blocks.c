/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The map of live blocks: what is rare. Regions are reserved without rights, and made writable step by step, so that they count
 * as memory no sooner than they hold entries, even where the system does not overcommit.
 *
 * A process may be forked at any instant, while other threads are in here: each change is one store, and what has been
 * mapped and not entered yet is lost to the child.
 */
#include "preload/heap/blocks.h"

#include <linux/membarrier.h>
#include <sys/mman.h>

#include "preload/common/base/syscalls.h"

#define GOLDEN		0x9e3779b97f4a7c15ull
#define NR_STEPS	64u
#define STEP_PAGES	(REGION_PAGES / NR_STEPS)
#define TRIES		64
#define WAITS		2000
#define WAIT_NS		50000
#define MMAPPED_SHIFT	12u
#define MMAPPED_BITS	0xfffu
#define MOST_SHIFT	16u
#define PAGE_NUMBERS	(PAGE_GOES - 1u)
#define LOOK_PAGES	64u		/* in one turn; */
#define LEAVE_PAGES	32u		/* of which so many may go */

LARGE struct maps live_map;
static uint64_t limit_bytes;		/* set before any thread */
static struct region *pool;		/* where address space is limited: all regions, set before nr_in_pool */
static uint64_t nr_in_pool, nr_pool_used;	/* atomic */
static uint64_t used_bytes, reserved_bytes;		/* as in the log's header; atomic */
static uint32_t nr_pages_made;				/* atomic */
static bool is_walking;			/* atomic; a thread takes pages out of use */

struct map *blocks_map_of(uint64_t addr)
{
	if (addr >> ADDR_BITS || addr & 5)
		return NULL;
	if (addr & BLOCK_OF_POOL)
		return &live_map.of[addr & 8 ? MAP_POOLS_OTHERS : MAP_POOLS];
	if (addr & 8 && live_map.mmapped_bits)
		return NULL;
	return &live_map.of[MAP_OTHERS];
}

/* ---- memory ---- */

static void change_used(int64_t bytes)
{
	__atomic_fetch_add(&used_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&live.log->heap_map_bytes, bytes, __ATOMIC_RELAXED);
}

static void change_reserved(int64_t bytes)
{
	__atomic_fetch_add(&reserved_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&live.log->heap_reserved_bytes, bytes, __ATOMIC_RELAXED);
}

/* Address space: not for huge pages, nor in core dumps, nor locked where all memory is to be. */
static void *reserve(uint64_t bytes)
{
	long place;

	if (live_is_sealed())
		return NULL;
	place = sys_mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(place))
		return NULL;
	raw_syscall(SYS_munlock, place, (long)bytes, 0, 0, 0, 0);
	sys_madvise((void *)place, bytes, MADV_NOHUGEPAGE);
	sys_madvise((void *)place, bytes, MADV_DONTDUMP);
	change_reserved((int64_t)bytes);
	return (void *)place;
}

static void release(void *place, uint64_t bytes)
{
	change_reserved(-(int64_t)bytes);
	sys_munmap(place, bytes);
}

static bool let_write(void *place, uint64_t bytes)
{
	return !live_is_sealed() && raw_syscall(SYS_mprotect, (long)place, (long)bytes, PROT_READ | PROT_WRITE, 0, 0, 0) == 0;
}

/* Let @slot point to @made, whose first @bytes are to be writable, unless another thread has been faster. Return: whether. */
static bool set(void **slot, void *made, uint64_t bytes)
{
	void *none = NULL;

	if (!let_write(made, bytes) ||
	    !__atomic_compare_exchange_n(slot, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return false;
	change_used(LIVE_BYTES);
	return true;
}

/* What the tables say of a part of the map, made if it is not there yet. NULL: there is no memory for it. */
static struct region *make_region(struct map *map, uint64_t number)
{
	const uint64_t table_bytes = TABLE_REGIONS * sizeof(struct region *);
	struct region ***table = &map->tables[number / TABLE_REGIONS], **slot, *region;
	uint64_t nr_pooled = __atomic_load_n(&nr_in_pool, __ATOMIC_ACQUIRE), next;

	if (!__atomic_load_n(table, __ATOMIC_ACQUIRE)) {
		slot = reserve(table_bytes);
		if (slot && !set((void **)table, slot, table_bytes))
			release(slot, table_bytes);
	}
	slot = __atomic_load_n(table, __ATOMIC_ACQUIRE);
	if (!slot)
		return NULL;
	slot += number % TABLE_REGIONS;
	if (!__atomic_load_n(slot, __ATOMIC_ACQUIRE)) {
		next = nr_pooled ? __atomic_fetch_add(&nr_pool_used, 1, __ATOMIC_RELAXED) : 0;
		region = !nr_pooled ? reserve(sizeof(*region)) : next < nr_pooled ? &pool[next] : NULL;
		if (region && !set((void **)slot, region, offsetof(struct region, entries)) && !nr_pooled)
			release(region, sizeof(*region));
	}
	return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

#define STEP_BYTES	((uint64_t)STEP_PAGES * LIVE_BYTES)

static void *step_of(struct region *region, uint64_t step)
{
	return &region->entries[step * STEP_PAGES * PAGE_ENTRIES];
}

/* Where a step was reserved once; false if something else lies there by now. */
static bool map_step(void *place)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	long there = live_is_sealed() ? -EPERM : sys_mmap(place, STEP_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (sys_failed(there))
		return false;
	if (there != (long)place)	/* a kernel before 4.17 */
		sys_munmap((void *)there, STEP_BYTES);
	else
		change_reserved((int64_t)STEP_BYTES);
	return there == (long)place;
}

/* The writable steps of a region are one range: else each might cost a mapping, of which a process may have 65,530. */
static bool make_writable(struct region *region, uint64_t page)
{
	uint64_t step = page / STEP_PAGES, steps = __atomic_load_n(&region->steps, __ATOMIC_ACQUIRE), first = step, last = step;
	bool is_cut = __atomic_load_n(&region->is_cut, __ATOMIC_ACQUIRE);

	if (steps >> step & 1)
		return true;
	if (steps && !is_cut) {
		first = (uint64_t)__builtin_ctzll(steps | 1ull << step);
		last = 63 - (uint64_t)__builtin_clzll(steps | 1ull << step);
	}
	if (is_cut ? !map_step(step_of(region, step)) : !let_write(step_of(region, first), (last - first + 1) * STEP_BYTES))
		return false;
	steps = ~0ull >> (63 - last) & ~0ull << first;
	__atomic_fetch_or(&region->steps, steps, __ATOMIC_SEQ_CST);
	if (is_cut == __atomic_load_n(&region->is_cut, __ATOMIC_SEQ_CST))
		return true;
	__atomic_fetch_and(&region->steps, ~(1ull << step), __ATOMIC_SEQ_CST);	/* it may have been cut off just before */
	return false;
}

/* A thread that makes a step writable meanwhile sees that it has been cut off. */
static void cut(struct region *region)
{
	uint64_t steps;

	if (__atomic_exchange_n(&region->is_cut, true, __ATOMIC_SEQ_CST))
		return;
	steps = __atomic_load_n(&region->steps, __ATOMIC_SEQ_CST);
	for (uint64_t step = 0; step < NR_STEPS; step++)
		if (!(steps >> step & 1))
			release(step_of(region, step), STEP_BYTES);
}

/* ---- pages ---- */

#define TABLE_PAGES	((uint64_t)TABLE_REGIONS * REGION_PAGES)

/* A walk over the pages that hold entries. */
struct cursor {
	uint32_t map;
	uint64_t page;			/* of all pages of a map; its window, too */
	struct region *region;
};

/* Go on to the next page from here on. Return: whether there is one. */
static bool find_page(struct cursor *cursor)
{
	for (; cursor->map < NR_MAPS; cursor->map++, cursor->page = 0)
		while (cursor->page < MAP_TABLES * TABLE_PAGES) {
			struct region **table = live_map.of[cursor->map].tables[cursor->page / TABLE_PAGES];
			uint64_t step = table ? REGION_PAGES : TABLE_PAGES;

			cursor->region = table ? table[cursor->page / REGION_PAGES % TABLE_REGIONS] : NULL;
			if (!cursor->region)
				cursor->page = (cursor->page / step + 1) * step;
			else if (!cursor->region->pages[cursor->page % REGION_PAGES])
				cursor->page++;
			else
				return true;
		}
	return false;
}

static uint64_t *entries_of(const struct cursor *cursor)
{
	return &cursor->region->entries[cursor->page % REGION_PAGES * PAGE_ENTRIES];
}

static uint64_t window_of(const struct map *map, uint64_t addr)
{
	return (addr >> map->granule_shift) / PAGE_ENTRIES;
}

/* Of the map of mmapped blocks, whose pages are few, all are. */
static bool is_sampled(const struct map *map, uint64_t window)
{
	return !(window * GOLDEN >> 32 & ((1u << map->shift) - 1));
}

static uint16_t *number_of(const struct cursor *cursor)
{
	return &cursor->region->pages[cursor->page % REGION_PAGES];
}

static uint16_t new_number(void)
{
	return (uint16_t)(1 + __atomic_fetch_add(&nr_pages_made, 1, __ATOMIC_RELAXED) % PAGE_NUMBERS);
}

/* Pages that lie one after the other, each announced to go: a thread that has just written an entry there waits. */
static void drop_pages(const struct cursor *first, uint64_t nr)
{
	sys_madvise(entries_of(first), nr * LIVE_BYTES, MADV_DONTNEED);
	change_used(-(int64_t)(nr * LIVE_BYTES));
	for (uint64_t i = 0; i < nr; i++)
		__atomic_store_n(number_of(first) + i, 0, __ATOMIC_RELEASE);
}

static uint64_t signals_before;		/* of the thread that walks */

/* A handler must not wait for what it has interrupted. */
static bool begin_walk(void)
{
	uint64_t signals;

	if (live_is_sealed())
		return false;
	sys_block_signals(&signals);
	if (!__atomic_exchange_n(&is_walking, true, __ATOMIC_ACQUIRE)) {
		signals_before = signals;
		return true;
	}
	sys_restore_signals(&signals);
	return false;
}

static void end_walk(void)
{
	uint64_t signals = signals_before;

	__atomic_store_n(&is_walking, false, __ATOMIC_RELEASE);
	sys_restore_signals(&signals);
}

static void drop_unsampled(void)
{
	for (struct cursor at = { 0, 0, NULL }; find_page(&at); at.page++)
		if (!is_sampled(&live_map.of[at.map], at.page)) {
			__atomic_store_n(number_of(&at), PAGE_GOES, __ATOMIC_SEQ_CST);
			drop_pages(&at, 1);
		}
}

/* At the limit half of the windows are left out, and then half of what is left. */
static void sample_less(void)
{
	if (!begin_walk())
		return;
	for (struct map *map = live_map.of; map < live_map.of + NR_MAPS; map++)
		if (map->granule_shift < MMAPPED_SHIFT && map->shift < MOST_SHIFT)
			map->shift++;
	live.log->heap_shift = live_map.of[MAP_HEAP].shift;
	drop_unsampled();
	end_walk();
}

static bool is_empty(const struct cursor *cursor)
{
	const uint64_t *entries = entries_of(cursor);

	for (uint32_t i = 0; i < PAGE_ENTRIES; i++)
		if (__atomic_load_n(&entries[i], __ATOMIC_RELAXED))
			return false;
	return true;
}

/*
 * It is announced that a page whose entries are 0 may go. After the barrier an entry is either seen here, or its writer sees
 * the announcement, since it looks at the page's number after it has written, and takes that back.
 */
static bool page_goes(const struct cursor *cursor, bool is_all_seen)
{
	bool goes = is_all_seen && is_empty(cursor);
	uint16_t leaves = PAGE_LEAVES;

	return __atomic_compare_exchange_n(number_of(cursor), &leaves, goes ? PAGE_GOES : new_number(), false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED) && goes;
}

/* Of those announced: the first ones that lie one after the other. Return: how many were looked at. */
static uint32_t return_row(const struct cursor *leaving, uint32_t nr, bool is_all_seen)
{
	uint32_t row = 0;

	while (row < nr && number_of(&leaving[row]) == number_of(leaving) + row && page_goes(&leaving[row], is_all_seen))
		row++;
	if (row)
		drop_pages(leaving, row);
	return row ? row : 1;
}

bool blocks_return_some(void)
{
	/* Of the thread that walks. Not on its stack, which may be small. */
	static struct cursor next, leaving[LEAVE_PAGES];
	uint32_t nr = 0;
	bool is_last = false, is_all_seen;

	if (!begin_walk())
		return true;
	for (uint32_t i = 0; i < LOOK_PAGES && nr < LEAVE_PAGES && !is_last; i++, next.page++) {
		is_last = !find_page(&next);
		if (is_last || !is_empty(&next))
			continue;
		__atomic_store_n(number_of(&next), PAGE_LEAVES, __ATOMIC_SEQ_CST);
		leaving[nr++] = next;
	}
	if (is_last)
		next = (struct cursor){ 0, 0, NULL };
	is_all_seen = nr && raw_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0) == 0;
	for (uint32_t i = 0; i < nr;)
		i += return_row(&leaving[i], nr - i, is_all_seen);
	end_walk();
	return is_last;
}

/* Its page goes, which takes a moment. Return: whether it has gone. */
static bool await_page(const uint16_t *number)
{
	const struct timespec pause = { 0, WAIT_NS };

	for (int i = 0; i < TRIES + WAITS && __atomic_load_n(number, __ATOMIC_ACQUIRE) == PAGE_GOES; i++)
		if (i < TRIES || live_is_sealed())
			cpu_relax();
		else
			raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	return __atomic_load_n(number, __ATOMIC_ACQUIRE) != PAGE_GOES;
}

/* Make a page usable. False: there is no memory. */
static bool make_page(struct region *region, uint64_t page)
{
	uint16_t *number = &region->pages[page], none = 0, leaves = PAGE_LEAVES;

	if (!await_page(number))
		return false;
	__atomic_compare_exchange_n(number, &leaves, new_number(), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	if (*number)
		return true;
	if (!make_writable(region, page))
		return false;
	if (__atomic_compare_exchange_n(number, &none, new_number(), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		change_used(LIVE_BYTES);
	return true;
}

static enum block_result make_place(struct map *map, uint64_t addr, struct place *place)
{
	uint64_t window = window_of(map, addr);
	struct region *region;

	if (map_find(map, addr, place) && place->number < PAGE_GOES)
		return BLOCK_DONE;
	if (!is_sampled(map, window))
		return BLOCK_NOT_SAMPLED;
	if (__atomic_load_n(&used_bytes, __ATOMIC_RELAXED) >= limit_bytes) {
		sample_less();
		if (!is_sampled(map, window))
			return BLOCK_NOT_SAMPLED;
	}
	region = make_region(map, window / REGION_PAGES);
	do {
		if (!region || !make_page(region, window % REGION_PAGES))
			return BLOCK_LOST;
	} while (!map_find(map, addr, place) || place->number >= PAGE_GOES);
	return BLOCK_DONE;
}

/* ---- what is rare of a block ---- */

static uint64_t next_granule(const struct map *map, uint64_t addr)
{
	return addr + (1ull << map->granule_shift);
}

/* Take the entry of @addr, of whatever size, and the second one that it may have. */
static bool take_entry(const struct map *map, uint64_t addr, struct block *block)
{
	struct place place, rest;
	uint64_t entry;

	if (!map_find(map, addr, &place))
		return false;
	entry = __atomic_load_n(place.entry, __ATOMIC_RELAXED);
	if (!entry || entry >> 32 == ENTRY_REST)
		return false;
	__atomic_store_n(place.entry, 0, __ATOMIC_RELAXED);
	read_entry(addr, entry, block);
	block->shift = (uint8_t)map->shift;
	if (!(entry & ENTRY_LARGE))
		return true;
	if (!map_find(map, next_granule(map, addr), &rest) || *rest.entry >> 32 != ENTRY_REST)
		return false;
	block->bytes |= (*rest.entry & UINT32_MAX) << ENTRY_SIZE_BITS;
	__atomic_store_n(rest.entry, 0, __ATOMIC_RELAXED);
	return true;
}

enum block_result blocks_take(const void *place, struct block *block)
{
	uint64_t addr = (uint64_t)place;
	struct map *map = map_of(addr);
	struct place entry;

	if (!map)
		return BLOCK_UNKNOWN;
	if (map_find(map, addr, &entry) && (*entry.entry & ENTRY_PLACE) == (addr & ENTRY_PLACE) && take_entry(map, addr, block))
		return BLOCK_DONE;
	if (is_sampled(map, window_of(map, addr)) && is_sampled(map, window_of(map, next_granule(map, addr))))
		return BLOCK_UNKNOWN;
	return BLOCK_NOT_SAMPLED;
}

/* What has an entry here and was freed unseen: a block that begins in the granule, or a large one that began before it. */
static bool take_stale(const struct map *map, uint64_t addr, struct block *replaced)
{
	struct place place;

	if (!map_find(map, addr, &place) || !*place.entry)
		return false;
	if (*place.entry >> 32 == ENTRY_REST)
		return take_entry(map, addr - (1ull << map->granule_shift), replaced);
	return take_entry(map, addr, replaced);
}

/* Until the page is sure to be there after the entry was written. */
static enum block_result write_entry(struct map *map, uint64_t addr, uint64_t entry)
{
	enum block_result result;
	struct place place;

	do {
		result = make_place(map, addr, &place);
		if (result != BLOCK_DONE)
			return result;
		__atomic_store_n(place.entry, entry, __ATOMIC_RELAXED);
		signal_fence();
	} while (__atomic_load_n(place.page, __ATOMIC_RELAXED) != place.number);
	return BLOCK_DONE;
}

/* The second entry comes first: who finds a large block's entry finds both. */
enum block_result blocks_put(const struct block *block, struct block *replaced)
{
	struct map *map = map_of(block->addr);
	enum block_result result;
	bool is_replaced;

	if (!map || block->bytes >= BLOCK_BYTES_MAX)
		return BLOCK_LOST;
	is_replaced = take_stale(map, block->addr, replaced);
	if (block->bytes >> ENTRY_SIZE_BITS) {
		if (next_granule(map, block->addr) >> ADDR_BITS)
			return BLOCK_LOST;
		result = write_entry(map, next_granule(map, block->addr),
				     (uint64_t)ENTRY_REST << 32 | block->bytes >> ENTRY_SIZE_BITS);
		if (result != BLOCK_DONE)
			return result;
	}
	result = write_entry(map, block->addr, entry_of(block));
	return result == BLOCK_DONE && is_replaced ? BLOCK_REPLACED : result;
}

/* ---- as a whole ---- */

void blocks_init(bool is_libcs, uint64_t most_bytes)
{
	raw_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);	/* with threads it takes ms */
	live_map.mmapped_bits = is_libcs ? MMAPPED_BITS : 0;
	live_map.of[MAP_HEAP].granule_shift = is_libcs ? 5 : 4;
	live_map.of[MAP_OTHERS].granule_shift = is_libcs ? MMAPPED_SHIFT : 4;
	live_map.of[MAP_POOLS].granule_shift = live_map.of[MAP_POOLS_OTHERS].granule_shift = 4;
	limit_bytes = most_bytes;
}

/* All of it now: an allocator that has reserved much may go on for long when nothing is left. */
void blocks_limit_space(uint64_t bytes)
{
	uint64_t nr = bytes / sizeof(*pool);

	if (pool || nr == 0)
		return;
	pool = reserve(nr * sizeof(*pool));
	if (pool)
		__atomic_store_n(&nr_in_pool, nr, __ATOMIC_RELEASE);
}

void blocks_cut(void)
{
	for (struct cursor at = { 0, 0, NULL }; find_page(&at); at.page = (at.page / REGION_PAGES + 1) * REGION_PAGES)
		cut(at.region);
}

/* Numbers have run out: entries of parents need no more than one. */
static void forget_numbers(void)
{
	for (struct cursor at = { 0, 0, NULL }; find_page(&at); at.page++) {
		uint64_t *entries = entries_of(&at);

		for (uint32_t i = 0; i < PAGE_ENTRIES; i++)
			if (entries[i] && entries[i] >> 32 != ENTRY_REST)
				entries[i] = 1ull << 32 | (uint32_t)entries[i];
	}
}

void blocks_inherit(uint64_t nr_refs)
{
	struct log_header *log = live.log;
	uint64_t numbers = live_map.numbers_before + nr_refs;

	if (numbers + (log->map_bytes >> LOG_REF_SHIFT) >= ENTRY_REST) {
		forget_numbers();
		numbers = 1;
	}
	live_map.numbers_before = (uint32_t)numbers;
	raw_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);	/* with threads it takes ms */
	log->heap_map_bytes = used_bytes;
	log->heap_reserved_bytes = reserved_bytes;
	log->heap_shift = live_map.of[MAP_HEAP].shift;
	if (!is_walking)
		return;
	for (struct cursor at = { 0, 0, NULL }; find_page(&at); at.page++)
		if (*number_of(&at) >= PAGE_GOES)
			*number_of(&at) = new_number();
	drop_unsampled();
	is_walking = false;
}

static uint64_t bytes_of_page(const struct cursor *cursor)
{
	const struct map *map = &live_map.of[cursor->map];
	const uint64_t *entries = entries_of(cursor);
	uint64_t bytes = 0;
	struct place rest;
	struct block block;

	for (uint64_t i = 0; i < PAGE_ENTRIES; i++) {
		uint64_t addr = (cursor->page * PAGE_ENTRIES + i) << map->granule_shift;

		if (!entries[i] || entries[i] >> 32 == ENTRY_REST)
			continue;
		read_entry(addr, entries[i], &block);
		if (entries[i] & ENTRY_LARGE && map_find(map, next_granule(map, addr), &rest))
			block.bytes |= (*rest.entry & UINT32_MAX) << ENTRY_SIZE_BITS;
		bytes += block.bytes << map->shift;
	}
	return bytes;
}

uint64_t blocks_bytes(void)
{
	uint64_t bytes = 0;

	for (struct cursor at = { 0, 0, NULL }; find_page(&at); at.page++)
		bytes += bytes_of_page(&at);
	return bytes;
}
