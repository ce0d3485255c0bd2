/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/text_numbers.h"

#include <string.h>

#include "analyzer/base/error.h"

struct numbered {
	uint64_t number;
	char text[];
};

static bool is_text(const void *item, const void *key)
{
	return strcmp(((const struct numbered *)item)->text, key) == 0;
}

uint64_t text_number(struct text_numbers *numbers, const char *text, bool *is_new)
{
	uint64_t hash = hash_string(text);
	struct numbered *found = hashtable_find(&numbers->by_text, hash, is_text, text);

	*is_new = !found;
	if (found)
		return found->number;
	found = xcalloc(1, sizeof(*found) + strlen(text) + 1);
	found->number = numbers->by_text.nr_items;
	memcpy(found->text, text, strlen(text));
	hashtable_add(&numbers->by_text, hash, found);
	return found->number;
}

void text_numbers_release(struct text_numbers *numbers)
{
	hashtable_release(&numbers->by_text);
}
