/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of pointers, found by what they point to. Items are never removed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashtable {
	struct hashtable_slot *slots;
	size_t nr_slots;		/* 0, or a power of two */
	size_t nr_items;
};

typedef bool hashtable_match(const void *item, const void *key);

void *hashtable_find(const struct hashtable *table, uint64_t hash, hashtable_match *match, const void *key);
/* @item must not be in the table yet. */
void hashtable_add(struct hashtable *table, uint64_t hash, void *item);
/* The next item, in no order. *@at is 0 at first. Return: NULL when there are no more */
void *hashtable_next(const struct hashtable *table, size_t *at);
/* Empty the table: release() frees the items too, forget() does not. */
void hashtable_release(struct hashtable *table);
void hashtable_forget(struct hashtable *table);

/* Mix two words into one. */
static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	uint64_t mixed = (a ^ (b * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;

	return (mixed ^ (mixed >> 32)) * 0xc4ceb9fe1a85ec53u;
}

static inline uint64_t hash_string(const char *text)
{
	uint64_t hash = 0;

	for (; *text; text++)
		hash = hash_pair(hash, (unsigned char)*text);
	return hash;
}
