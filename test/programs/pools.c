/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An allocator of its own, in an arena from malloc that it reports. The report must show, blocks and bytes
 * not freed: keep 10 and 1000, of which another thread frees 4: 6 and 600; grow 1 and 240; use none of 500,
 * all temporary; of make_pool nothing; careless_pool 2 and 65536 + 48, an arena that it does not tell of and
 * the first block, where it begins. At the peak: rise 200 and 25600. Prints what misuse gives: 0.
 */
#include <insideme.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOT	256
#define SLOTS	1024

static char *arena, *volatile careless;
static char *free_slots[SLOTS];
static int nr_free, wrong;

/* Without the recorder each call says so. */
static void expect(int found, int expected)
{
	wrong += found != expected && found != -ENODATA;
}

void make_pool(void)
{
	expect(insideme_pool_begin(), 0);
	expect(insideme_pool_begin(), 0);	/* pairs nest */
	expect(insideme_pool_end(), 0);
	arena = malloc(SLOT * SLOTS);
	expect(insideme_pool_end(), 0);
	for (int i = SLOTS; i-- > 0;)
		free_slots[nr_free++] = arena + i * SLOT;
}

void careless_pool(void)
{
	careless = malloc(65536);
	expect(insideme_alloc(careless, 48), 0);
}

static inline __attribute__((always_inline, no_instrument_function)) void *take(size_t bytes)
{
	void *block = free_slots[--nr_free];

	expect(insideme_alloc(block, bytes), 0);
	return block;
}

static inline __attribute__((always_inline, no_instrument_function)) void give_back(void *block)
{
	expect(insideme_free(block), 0);
	free_slots[nr_free++] = block;
}

void keep(char **kept)
{
	for (int i = 0; i < 10; i++)
		kept[i] = take(100);
}

void use(void)
{
	for (int i = 0; i < 500; i++)
		give_back(take(64));
}

void grow(void)
{
	char *block = take(24);

	expect(insideme_free(block), 0);
	expect(insideme_alloc(block, 240), 0);
}

void rise(void)
{
	char *blocks[200];

	for (int i = 0; i < 200; i++)
		blocks[i] = take(128);
	for (int i = 0; i < 200; i++)
		give_back(blocks[i]);
}

static void *free_four(void *argument)
{
	char **kept = argument;

	for (int i = 0; i < 4; i++)
		give_back(kept[i]);
	return NULL;
}

void misuse(void)
{
	char local[16] __attribute__((aligned(8)));

	expect(insideme_alloc(NULL, 8), -EINVAL);
	expect(insideme_alloc(local + 4, 8), -EINVAL);
	expect(insideme_free(NULL), -EINVAL);
	expect(insideme_free(local), -ESRCH);
	expect(insideme_pool_end(), -ENODATA);
}

int main(void)
{
	char *kept[10];
	pthread_t thread;

	make_pool();
	careless_pool();
	keep(kept);
	use();
	grow();
	rise();
	pthread_create(&thread, NULL, free_four, kept);
	pthread_join(thread, NULL);
	misuse();
	expect(insideme_pool_begin(), 0);
	free(arena);
	expect(insideme_pool_end(), 0);
	printf("wrong: %d\n", wrong);
	return 0;
}
