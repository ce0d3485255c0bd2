/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks whose number, size and end are known. The report must show as not freed
 *   by_malloc 10 blocks of 100 bytes, by_calloc 3 of 330, by_realloc 1 of 640 (of a chain of 7), by_aligned 5
 *   in 3613
 *   bytes, by_strdup 1 of 12, by_zero 2 of 0, produce 10 of 64 (of 500, the others freed by another thread),
 *   and nothing
 *   of temporary (1000 blocks, all freed at once), of swap (2 blocks freed by its caller) and of main.
 * Failures and what is not ours: by_failing 2 failed allocations; realloc(NULL) is a malloc, realloc to 0 a
 * free.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR 500

static void *volatile kept;
static void *volatile blocks[NR];
static volatile size_t too_much = SIZE_MAX / 2;

/* clang believes that malloc leaves errno alone. */
static void *(*volatile call_malloc)(size_t) = malloc;
static void *(*volatile call_realloc)(void *, size_t) = realloc;

#define SITE __attribute__((noinline)) static

SITE void by_malloc(void)
{
	for (int i = 0; i < 10; i++)
		kept = malloc(100);
}

SITE void by_calloc(void)
{
	for (int i = 0; i < 3; i++)
		kept = calloc(10, 33);
}

SITE void by_realloc(void)
{
	void *block = realloc(NULL, 10);

	for (size_t size = 20; size <= 640; size *= 2)
		block = realloc(block, size);
	kept = block;
}

SITE void by_aligned(void)
{
	void *block;

	if (posix_memalign(&block, 64, 1000) == 0)
		kept = block;
	kept = aligned_alloc(256, 512);
	kept = memalign(1024, 2000);
	kept = valloc(100);
}

SITE void by_strdup(void)
{
	kept = strdup("hello world");
}

SITE void by_zero(void)
{
	kept = malloc(0);
	kept = malloc(0);
	kept = realloc(malloc(10), 0);
}

SITE int by_failing(void)
{
	void *block = malloc(7), *moved;

	errno = 0;
	kept = call_malloc(too_much);
	if (kept || errno != ENOMEM)
		return 1;
	errno = 0;
	moved = call_realloc(block, too_much);
	if (moved || errno != ENOMEM)
		return 1;
	free(block);
	return 0;
}

SITE void temporary(void)
{
	for (size_t i = 0; i < 1000; i++) {
		kept = malloc(i);
		free(kept);
	}
}

SITE void swap(void)
{
	blocks[0] = malloc(11);
	blocks[1] = malloc(22);
}

SITE void produce(void)
{
	for (int i = 0; i < NR; i++)
		blocks[i] = malloc(64);
}

SITE void *consume(void *argument)
{
	for (int i = 10; i < NR; i++)
		free(blocks[i]);
	return argument;
}

int main(void)
{
	pthread_t thread;

	by_malloc();
	by_calloc();
	by_realloc();
	by_aligned();
	by_strdup();
	by_zero();
	temporary();
	swap();
	free(blocks[0]);
	free(blocks[1]);
	produce();
	pthread_create(&thread, NULL, consume, NULL);
	pthread_join(thread, NULL);
	return by_failing();
}
