/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The map of live blocks: the rare cases. A process may be forked while other threads are in here. So each
 * change is one store or one exchange. Memory that is mapped but in no table yet is lost to the child.
 */
#include "preload/heap/blocks.h"

#include <linux/membarrier.h>
#include <sys/mman.h>

#include "preload/common/base/syscalls.h"

#define GOLDEN		0x9e3779b97f4a7c15ull
#define CHUNK_BYTES	(1ull << 20)	/* mapped at once; */
#define LEAST_CHUNK_BYTES (256ull << 10)	/* so where the program's memory is locked */
#define HEAP_SHIFT	5u		/* of granules: glibc's blocks are at least that far apart, */
#define SINGLE_SHIFT	12u		/* those that it maps singly too, */
#define OTHER_SHIFT	4u		/* and those of other allocators, whose bit 3 is alike */
#define MOST_SHIFT	16u
#define LOOK_PAGES 512u /* in one turn; a fourth of them may go */
#define LEAVE_PAGES (LOOK_PAGES / 4)

LARGE struct maps live_map;
static uint64_t limit_bytes, chunk_bytes; /* set before any thread; 0: nothing more is mapped, atomic */
static uint64_t scarce_pages;		/* with fewer spare ones windows are left out */
static uint64_t spare;			/* pages not used yet: the number of the first one, and how many */
static uint64_t used_bytes, reserved_bytes;	/* as in the log's header */
static bool is_walking;			/* a thread takes pages out of use */

/* ---- memory ---- */

static void change_used(int64_t bytes)
{
	__atomic_fetch_add(&used_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&live.log->heap_map_bytes, bytes, __ATOMIC_RELAXED);
	if (used_bytes > live.log->heap_map_most_bytes) /* where two race, it is a page less */
		live.log->heap_map_most_bytes = used_bytes;
}

static void change_reserved(int64_t bytes)
{
	__atomic_fetch_add(&reserved_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&live.log->heap_reserved_bytes, bytes, __ATOMIC_RELAXED);
}

/* Map memory without huge pages. It is left out of core dumps, and is not locked by mlockall(). */
static void *map_memory(uint64_t bytes)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	long place;

	if (bytes == 0 || live_is_sealed())
		return NULL;
	place = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (sys_failed(place))
		return NULL;
	raw_syscall(SYS_munlock, place, (long)bytes, 0, 0, 0, 0);
	sys_madvise((void *)place, bytes, MADV_NOHUGEPAGE);
	sys_madvise((void *)place, bytes, MADV_DONTDUMP);
	change_reserved((int64_t)bytes);
	return (void *)place;
}

#define SPARE_PAGE	(1ull << 24)	/* in spare: adds one to the number of the first page */
#define NR_SPARE(pages)	((pages) % SPARE_PAGE)

static void *first_of(uint64_t pages)
{
	return (void *)(pages / SPARE_PAGE * LIVE_BYTES);
}

static void unmap_pages(uint64_t pages)
{
	if (!NR_SPARE(pages))
		return;
	change_reserved(-(int64_t)(NR_SPARE(pages) * LIVE_BYTES));
	sys_munmap(first_of(pages), NR_SPARE(pages) * LIVE_BYTES);
}

/* Map spare pages if there are fewer than @least. Return: whether there may be that many now. */
static bool refill_spare(uint64_t least, uint64_t bytes)
{
	uint64_t had = __atomic_load_n(&spare, __ATOMIC_RELAXED), nr = bytes / LIVE_BYTES, made;

	if (NR_SPARE(had) >= least)
		return true;
	nr = nr < SPARE_PAGE ? nr : SPARE_PAGE - 1;
	made = (uint64_t)map_memory(nr * LIVE_BYTES) / LIVE_BYTES * SPARE_PAGE + nr;
	if (!first_of(made))
		return false;
	if (__atomic_compare_exchange_n(&spare, &had, made, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		made = had;
	unmap_pages(made);
	return true;
}

/* Blank pages that lie one after the other; NULL: there is no memory. */
static void *take_pages(uint64_t nr)
{
	uint64_t had;

	do {
		if (!refill_spare(nr, __atomic_load_n(&chunk_bytes, __ATOMIC_RELAXED)))
			return NULL;
		had = __atomic_load_n(&spare, __ATOMIC_RELAXED);
	} while (NR_SPARE(had) < nr ||
		 !__atomic_compare_exchange_n(&spare, &had, had + nr * SPARE_PAGE - nr, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return first_of(had);
}

uint64_t blocks_spare_bytes(void)
{
	return NR_SPARE(__atomic_load_n(&spare, __ATOMIC_RELAXED)) * LIVE_BYTES;
}

void blocks_cut(void)
{
	__atomic_store_n(&chunk_bytes, LEAST_CHUNK_BYTES, __ATOMIC_RELAXED);
	unmap_pages(__atomic_exchange_n(&spare, 0, __ATOMIC_RELAXED));
}

void blocks_limit_space(uint64_t bytes)
{
	if (chunk_bytes != CHUNK_BYTES)
		return;
	blocks_cut();
	refill_spare(1, bytes);
	scarce_pages = NR_SPARE(spare) / 2;
	__atomic_store_n(&chunk_bytes, 0, __ATOMIC_RELAXED);
}

/* The tables that @slot points to, made if there are none yet. NULL: there is no memory for them. */
static void *make_tables(void **slot)
{
	void *made, *none = NULL;

	if (__atomic_load_n(slot, __ATOMIC_ACQUIRE))
		return *slot;
	made = take_pages((sizeof(struct table) + LIVE_BYTES - 1) / LIVE_BYTES);
	if (made && __atomic_compare_exchange_n(slot, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		change_used(LIVE_BYTES);
	return *slot;
}

static uint64_t *make_slot(struct map *map, uint64_t page)
{
	struct tables *tables = make_tables((void **)&map->parts[page >> 2 * TABLE_BITS]);

	if (!tables || !make_tables((void **)&tables->of[page >> TABLE_BITS & (TABLE_SLOTS - 1)]))
		return NULL;
	return map_slot(map, page);
}

/* ---- pages ---- */

static bool change_slot(uint64_t *slot, uint64_t from, uint64_t to)
{
	return __atomic_compare_exchange_n(slot, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static uint64_t page_of(uint64_t slot)
{
	return slot & ~(LIVE_BYTES - 1ull);
}

static uint64_t in_use_again(uint64_t slot)
{
	return page_of(slot) | ((slot + SLOT_GENERATION) & (LIVE_BYTES - 1ull) & ~SLOT_STATES) | SLOT_USED;
}

/*
 * Make a slot's page usable. A page whose memory is being given back is replaced. False: there is no memory.
 */
static bool make_page(uint64_t *slot)
{
	uint64_t seen, blank = 0;
	bool is_blank;

	while (seen = __atomic_load_n(slot, __ATOMIC_ACQUIRE), !(seen & SLOT_USED)) {
		is_blank = !seen || seen & SLOT_GOES;
		if (is_blank && !blank)
			blank = (uint64_t)take_pages(1);
		if (is_blank && !blank)
			return false;
		if (change_slot(slot, seen, in_use_again(is_blank ? blank : seen)) && !(seen & SLOT_LEAVES))
			change_used(LIVE_BYTES);
	}
	return true;
}

/* A walk over the pages in use. */
struct cursor {
	uint32_t map;
	uint64_t page;			/* its number in the map */
	uint64_t *slot;
	uint64_t seen;
};

#define NR_PAGES	((uint64_t)ROOT_SLOTS * TABLE_SLOTS * TABLE_SLOTS)

/* From the cursor's page on, in its table. Most slots are empty, and this loop passes them fast. */
static bool find_in_table(struct cursor *at, struct table *table)
{
	for (uint64_t i = at->page % TABLE_SLOTS; i < TABLE_SLOTS; i++)
		if (table->slots[i] & (SLOT_USED | SLOT_LEAVES)) {
			at->slot = &table->slots[i];
			at->seen = *at->slot;
			at->page += i - at->page % TABLE_SLOTS;
			return true;
		}
	return false;
}

/* Go on to the next page from here on. Return: whether there is one. */
static bool find_page(struct cursor *at)
{
	for (; at->map < NR_MAPS; at->map++, at->page = 0)
		while (at->page < NR_PAGES) {
			struct tables *tables = live_map.of[at->map].parts[at->page >> 2 * TABLE_BITS];
			uint64_t step = tables ? TABLE_SLOTS : TABLE_SLOTS * TABLE_SLOTS;
			struct table *table =
				tables ? tables->of[at->page / TABLE_SLOTS % TABLE_SLOTS] : NULL;

			if (table && find_in_table(at, table))
				return true;
			at->page = (at->page / step + 1) * step;
		}
	return false;
}

static uint64_t *entries_of(const struct cursor *at)
{
	return (uint64_t *)page_of(at->seen);
}

/* A window is the part of the heap that has one page. The map of blocks that are mapped singly is small. */
static bool is_sampled(const struct map *map, uint64_t page)
{
	return !(page * GOLDEN >> 32 & ((1u << map->shift) - 1));
}

/* Set the state of a page, if its slot has not changed since it was read. Return: whether that was done. */
static bool set_state(struct cursor *at, uint64_t state)
{
	uint64_t seen = at->seen;

	at->seen = (seen & ~SLOT_STATES) | state;
	return change_slot(at->slot, seen, at->seen);
}

/* Pages that lie one after the other, each in the state SLOT_GOES. */
static void drop_pages(struct cursor *pages, uint64_t nr)
{
	sys_madvise(entries_of(pages), nr * LIVE_BYTES, MADV_DONTNEED);
	change_used(-(int64_t)(nr * LIVE_BYTES));
	for (uint64_t i = 0; i < nr; i++)
		set_state(&pages[i], SLOT_EMPTY);
}

static uint64_t signals_before;		/* of the thread that walks */

/* Signals are blocked: a handler might leave by a jump. */
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

/* At the limit half of the windows are left out, next time half of the remaining ones. */
static void sample_less(void)
{
	if (!begin_walk())
		return;
	for (struct map *map = live_map.of; map < live_map.of + NR_MAPS; map++)
		if (map->granule_shift < SINGLE_SHIFT && map->shift < MOST_SHIFT)
			map->shift++;
	__atomic_store_n(&live_map.unusual_numbers, UINT32_MAX, __ATOMIC_RELAXED);
	live.log->heap_shift = live_map.of[MAP_HEAP].shift;
	for (struct cursor at = { 0 }; find_page(&at); at.page++)
		if (!is_sampled(&live_map.of[at.map], at.page) && set_state(&at, SLOT_GOES))
			drop_pages(&at, 1);
	end_walk();
}

static bool is_empty(const struct cursor *at)
{
	const uint64_t *entries = entries_of(at);

	for (uint32_t i = 0; i < PAGE_ENTRIES; i++)
		if (__atomic_load_n(&entries[i], __ATOMIC_RELAXED))
			return false;
	return true;
}

/* Decide on a page whose removal was announced. Return: whether it goes. */
static bool page_goes(struct cursor *at, bool is_all_seen)
{
	if (is_all_seen && is_empty(at))
		return set_state(at, SLOT_GOES);
	change_slot(at->slot, at->seen, in_use_again(at->seen));
	return false;
}

/* How many of the first pages lie one after the other. */
static uint32_t row_length(const struct cursor *pages, uint32_t nr)
{
	uint32_t row = 1;

	while (row < nr && entries_of(&pages[row]) == entries_of(pages) + row * PAGE_ENTRIES)
		row++;
	return row;
}

bool blocks_return_some(void)
{
	/* Used by the walking thread. They are not on its stack, which may be small. */
	LARGE static struct cursor leaving[LEAVE_PAGES];
	static struct cursor next;
	uint32_t nr = 0, nr_gone = 0;
	bool is_last = false, is_all_seen;

	if (!begin_walk())
		return true;
	for (uint32_t i = 0; i < LOOK_PAGES && nr < LEAVE_PAGES && !is_last; i++, next.page++) {
		is_last = !find_page(&next);
		if (is_last || !is_empty(&next))
			continue;
		leaving[nr] = next;
		nr += set_state(&leaving[nr], SLOT_LEAVES);
	}
	if (is_last)
		next = (struct cursor){ 0 };
	is_all_seen = nr && raw_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0) == 0;
	for (uint32_t i = 0; i < nr; i++)
		if (page_goes(&leaving[i], is_all_seen))
			leaving[nr_gone++] = leaving[i];
	for (uint32_t i = 0, row; i < nr_gone; i += row) {
		row = row_length(&leaving[i], nr_gone - i);
		drop_pages(&leaving[i], row);
	}
	end_walk();
	return is_last;
}

/* ---- blocks ---- */

/* The map of a block. NULL: no allocator has such addresses. */
static struct map *map_of(uint64_t addr, uint64_t bytes)
{
	bool has_singles = live_map.of[MAP_OTHERS].granule_shift == SINGLE_SHIFT, is_odd = addr & 8;

	if (addr >> ADDR_BITS || addr & 5)
		return NULL;
	if (addr & BLOCK_OF_POOL)
		return &live_map.of[is_odd ? MAP_POOLS_OTHERS : MAP_POOLS];
	if (has_singles && is_odd)
		return NULL;
	if (has_singles)
		is_odd = bytes >= SINGLE_BYTES && is_single_addr(addr);
	return &live_map.of[is_odd ? MAP_OTHERS : MAP_HEAP];
}

static uint64_t page_at(const struct map *map, uint64_t addr)
{
	return (addr >> map->granule_shift) / PAGE_ENTRIES;
}

static uint64_t next_granule(const struct map *map, uint64_t addr)
{
	return addr + (1ull << map->granule_shift);
}

/*
 * Pages of windows that are left out cannot serve other windows, so windows are left out while pages are
 * still spare.
 */
static bool is_at_limit(void)
{
	if (__atomic_load_n(&used_bytes, __ATOMIC_RELAXED) >= limit_bytes)
		return true;
	if (chunk_bytes || NR_SPARE(__atomic_load_n(&spare, __ATOMIC_RELAXED)) >= scarce_pages)
		return false;
	__atomic_store_n(&scarce_pages, scarce_pages / 2, __ATOMIC_RELAXED);
	return true;
}

static enum block_result make_place(struct map *map, uint64_t page)
{
	uint64_t *slot;

	if (is_sampled(map, page) && is_at_limit())
		sample_less();
	if (!is_sampled(map, page))
		return BLOCK_NOT_SAMPLED;
	slot = make_slot(map, page);
	return slot && make_page(slot) ? BLOCK_DONE : BLOCK_LOST;
}

static enum block_result write_entry(struct map *map, uint64_t addr, uint64_t entry)
{
	enum block_result result;
	struct place place;

	while (!(map_find(map, addr, &place) & SLOT_USED) || !place_write(&place, entry)) {
		result = make_place(map, page_at(map, addr));
		if (result != BLOCK_DONE)
			return result;
	}
	return BLOCK_DONE;
}

/* The entry of @addr, or 0. */
static uint64_t entry_at(const struct map *map, uint64_t addr, struct place *place)
{
	return map_find(map, addr, place) ? __atomic_load_n(place->entry, __ATOMIC_RELAXED) : 0;
}

/* Read the block of the entry at @addr, of any size. @rest: the place of its second entry, if it has one. */
static bool read_block(const struct map *map, uint64_t addr, uint64_t entry, struct block *block,
		       struct place *rest)
{
	uint64_t more;

	read_entry(addr, entry, block);
	if (entry >> 32 <= live_map.numbers_before)
		block->heap = 0;
	block->shift = (uint8_t)map->shift;
	if (!(entry & ENTRY_LARGE))
		return true;
	more = entry_at(map, next_granule(map, addr), rest);
	block->bytes |= (more & UINT32_MAX) >> ENTRY_SIZE_SHIFT << ENTRY_SIZE_BITS;
	return more >> 32 == ENTRY_REST;
}

static bool take_entry(const struct map *map, uint64_t addr, struct block *block)
{
	struct place place, rest;
	uint64_t entry = entry_at(map, addr, &place);

	if (!entry || entry >> 32 == ENTRY_REST)
		return false;
	blocks_drop(&place);
	if (!read_block(map, addr, entry, block, &rest))
		return false;
	if (entry & ENTRY_LARGE)
		blocks_drop(&rest);
	return true;
}

static enum block_result take_from(const struct map *map, uint64_t addr, struct block *block)
{
	struct place place;

	if (!map)
		return BLOCK_UNKNOWN;
	if (!is_sampled(map, page_at(map, addr)))
		return BLOCK_NOT_SAMPLED;
	if (!((entry_at(map, addr, &place) ^ addr) & ENTRY_PLACE) && take_entry(map, addr, block))
		return BLOCK_DONE;
	return is_sampled(map, page_at(map, next_granule(map, addr))) ? BLOCK_UNKNOWN : BLOCK_NOT_SAMPLED;
}

enum block_result blocks_take(const void *place, struct block *block)
{
	uint64_t addr = (uint64_t)place;
	struct map *map = map_of(addr, 0), *other = map_of(addr, UINT64_MAX);

	if (other != map && take_from(other, addr, block) == BLOCK_DONE)
		return BLOCK_DONE;
	return take_from(map, addr, block);
}

/*
 * If there is an entry here, its block was freed unseen. It begins in this granule, or is a large one that
 * begins before it.
 */
static bool take_stale(const struct map *map, uint64_t addr, struct block *replaced)
{
	struct place place;
	uint64_t entry = entry_at(map, addr, &place);

	if (entry >> 32 == ENTRY_REST)
		addr -= 1ull << map->granule_shift;
	return entry && take_entry(map, addr, replaced);
}

/* The second entry is written first: a reader that finds a large block's entry then finds both. */
enum block_result blocks_put(const struct block *block, struct block *replaced)
{
	struct map *map = map_of(block->addr, block->bytes);
	uint64_t rest = block->bytes >> ENTRY_SIZE_BITS;
	uint64_t second = (uint64_t)ENTRY_REST << 32 | rest << ENTRY_SIZE_SHIFT | ENTRY_LARGE;
	enum block_result result = BLOCK_DONE;
	bool is_replaced;

	if (!map || rest >> ENTRY_SIZE_BITS || (rest && next_granule(map, block->addr) >> ADDR_BITS))
		return BLOCK_LOST;
	is_replaced = take_stale(map, block->addr, replaced);
	if (rest)
		result = write_entry(map, next_granule(map, block->addr), second);
	if (result == BLOCK_DONE)
		result = write_entry(map, block->addr, entry_of(block));
	return result == BLOCK_DONE && is_replaced ? BLOCK_REPLACED : result;
}

/* ---- the maps as a whole ---- */

/* If there are threads already, this takes ms. */
static void register_for_barriers(void)
{
	raw_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
}

void blocks_init(bool is_libcs, uint64_t most_bytes)
{
	register_for_barriers();
	for (struct map *map = live_map.of; map < live_map.of + NR_MAPS; map++)
		map->granule_shift = OTHER_SHIFT;
	if (is_libcs) {
		live_map.of[MAP_HEAP].granule_shift = HEAP_SHIFT;
		live_map.of[MAP_OTHERS].granule_shift = SINGLE_SHIFT;
	}
	limit_bytes = most_bytes;
	chunk_bytes = CHUNK_BYTES;
}

/* Call @visit with each entry of a block. */
static void each_entry(void (*visit)(const struct map *map, uint64_t addr, uint64_t *entry, void *context),
		       void *context)
{
	for (struct cursor at = { 0 }; find_page(&at); at.page++) {
		const struct map *map = &live_map.of[at.map];
		uint64_t *entries = entries_of(&at);

		for (uint64_t i = 0; i < PAGE_ENTRIES; i++)
			if (entries[i] && entries[i] >> 32 != ENTRY_REST)
				visit(map, (at.page * PAGE_ENTRIES + i) << map->granule_shift, &entries[i],
				      context);
	}
}

/* Numbers have run out: entries of parents need no more than one. */
static void forget_number(const struct map *map, uint64_t addr, uint64_t *entry, void *context)
{
	*entry = 1ull << 32 | (uint32_t)*entry;
}

void blocks_inherit(uint64_t nr_refs)
{
	struct log_header *log = live.log;
	uint64_t numbers = live_map.numbers_before + nr_refs;

	if (numbers + (log->map_bytes >> LOG_REF_SHIFT) >= ENTRY_REST) {
		each_entry(forget_number, NULL);
		numbers = 1;
	}
	live_map.numbers_before = (uint32_t)numbers;
	if (live_map.unusual_numbers != UINT32_MAX)
		live_map.unusual_numbers = (uint32_t)numbers;
	register_for_barriers();
	log->heap_map_bytes = log->heap_map_most_bytes = used_bytes;
	log->heap_reserved_bytes = reserved_bytes;
	log->heap_shift = live_map.of[MAP_HEAP].shift;
	is_walking = false;
}

static void add_bytes(const struct map *map, uint64_t addr, uint64_t *entry, void *bytes)
{
	struct place rest;
	struct block block;

	read_block(map, addr, *entry, &block, &rest);
	*(uint64_t *)bytes += block.bytes << map->shift;
}

uint64_t blocks_bytes(void)
{
	uint64_t bytes = 0;

	each_entry(add_bytes, &bytes);
	return bytes;
}
