/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Truth bench: allocations, strings and sorting, much of it in libc, which has no hooks; qsort() calls back into
 * functions that have. Argument: rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 512
#define BUCKETS 256

struct entry {
	struct entry *next;
	char *word;
	unsigned count;
};

static struct entry *table[BUCKETS];
static struct entry *sorted[WORDS * 2];

static unsigned hash(const char *word)
{
	unsigned h = 2166136261u;

	while (*word)
		h = (h ^ (unsigned char)*word++) * 16777619;
	return h % BUCKETS;
}

static struct entry *new_entry(const char *word)
{
	struct entry *entry = calloc(1, sizeof(*entry));

	entry->word = strdup(word);
	return entry;
}

static void add(const char *word)
{
	struct entry **place = &table[hash(word)];

	while (*place && strcmp((*place)->word, word) != 0)
		place = &(*place)->next;
	if (!*place)
		*place = new_entry(word);
	(*place)->count++;
}

static void make_word(char *word, size_t size, unsigned number)
{
	snprintf(word, size, "word-%x-%u", number % 1999, number % 7);
}

static int by_count(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->word, y->word);
}

static int collect(void)
{
	int nr = 0;

	for (int i = 0; i < BUCKETS; i++)
		for (struct entry *entry = table[i]; entry; entry = entry->next)
			sorted[nr++] = entry;
	qsort(sorted, (size_t)nr, sizeof(sorted[0]), by_count);
	return nr;
}

static void release(int nr)
{
	for (int i = 0; i < nr; i++) {
		free(sorted[i]->word);
		free(sorted[i]);
	}
	memset(table, 0, sizeof(table));
}

int main(int argc, char **argv)
{
	unsigned number = 1, total = 0;
	char word[32];

	for (long i = 0; i < (argc > 1 ? atol(argv[1]) : 1); i++) {
		int nr;

		for (int j = 0; j < WORDS; j++) {
			number = number * 1664525 + 1013904223;
			make_word(word, sizeof(word), number >> 12);
			for (int k = 0; k < 4; k++)
				add(word);
		}
		nr = collect();
		total += sorted[0]->count;
		release(nr);
	}
	printf("%u\n", total);
	return 0;
}
