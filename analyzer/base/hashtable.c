/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open addressing; the table is at most two thirds full. */
#include "analyzer/base/hashtable.h"

#include <stdlib.h>

#include "analyzer/base/error.h"

struct hashtable_slot {
	uint64_t hash;
	void *item;			/* NULL: free */
};

void *hashtable_find(const struct hashtable *table, uint64_t hash, hashtable_match *match, const void *key)
{
	size_t mask = table->nr_slots - 1;

	if (table->nr_slots == 0)
		return NULL;
	for (size_t i = (size_t)(hash >> 20) & mask; table->slots[i].item; i = (i + 1) & mask)
		if (table->slots[i].hash == hash && match(table->slots[i].item, key))
			return table->slots[i].item;
	return NULL;
}

static void put(struct hashtable *table, uint64_t hash, void *item)
{
	size_t mask = table->nr_slots - 1, i = (size_t)(hash >> 20) & mask;

	while (table->slots[i].item)
		i = (i + 1) & mask;
	table->slots[i] = (struct hashtable_slot){ hash, item };
}

void hashtable_add(struct hashtable *table, uint64_t hash, void *item)
{
	struct hashtable old = *table;

	if (table->nr_items * 3 >= table->nr_slots * 2) {
		table->nr_slots = old.nr_slots ? old.nr_slots * 2 : 64;
		table->slots = xcalloc(table->nr_slots, sizeof(*table->slots));
		for (size_t i = 0; i < old.nr_slots; i++)
			if (old.slots[i].item)
				put(table, old.slots[i].hash, old.slots[i].item);
		free(old.slots);
	}
	put(table, hash, item);
	table->nr_items++;
}

void hashtable_forget(struct hashtable *table)
{
	free(table->slots);
	*table = (struct hashtable){ 0 };
}

void *hashtable_next(const struct hashtable *table, size_t *at)
{
	while (*at < table->nr_slots) {
		void *item = table->slots[(*at)++].item;

		if (item)
			return item;
	}
	return NULL;
}

void hashtable_release(struct hashtable *table)
{
	for (size_t i = 0; i < table->nr_slots; i++)
		free(table->slots[i].item);
	hashtable_forget(table);
}
