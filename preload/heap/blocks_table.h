/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One table of the live blocks' (blocks_shards.h): open addressing with linear probing; a place in it grows with the hash, so
 * that growing reads and writes in order. Whoever calls these holds the lock of the table's shard.
 */
#ifndef INSIDEME_BLOCKS_TABLE_H
#define INSIDEME_BLOCKS_TABLE_H

#include "preload/heap/blocks.h"

#define GOLDEN		0x9e3779b97f4a7c15ull

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
#define VALUE_HEAP	0xffffffffull
#define BLOCK_BYTES_MAX	(1ull << 44)

struct table {
	struct entry *entries;		/* NULL: none */
	uint32_t capacity;
	uint32_t used;
};

static ALWAYS_INLINE uint32_t hash_of(uint64_t key)
{
	return (uint32_t)((key & KEY_ADDR) * GOLDEN >> 32);
}

static ALWAYS_INLINE uint32_t home_of(const struct table *table, uint64_t key)
{
	return (uint32_t)((uint64_t)hash_of(key) * table->capacity >> 32);
}

static ALWAYS_INLINE uint32_t after(const struct table *table, uint32_t place)
{
	return likely(place + 1 < table->capacity) ? place + 1 : 0;
}

static ALWAYS_INLINE void write_entry(struct table *table, uint32_t place, uint64_t key, uint64_t value)
{
	table->entries[place].value = value;
	signal_fence();
	table->entries[place].key = key;
}

static ALWAYS_INLINE uint64_t key_of(const struct block *block)
{
	return block->addr | (block->is_runtimes ? KEY_RUNTIMES : 0) | (uint64_t)block->birth << KEY_BIRTH_SHIFT |
	       block->bytes >> 32 << KEY_SIZE_SHIFT;
}

static ALWAYS_INLINE void read_entry(const struct entry *entry, struct block *block)
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

#endif
