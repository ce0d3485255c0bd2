/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program asks of an allocator, in 4 threads, with blocks that other threads free. The report must show as
 * alloc_calls of one_round 2800 (4 threads, 100 rounds, 7 allocations; a realloc is one), as free_calls of
 * free_some 2000 and of one_round 800 (what realloc gave back, and calloc's). It prints the sum of what the blocks
 * held and whether each was aligned as asked.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 100, KEPT = 5 };

static void *kept[THREADS][ROUNDS][KEPT];
static int wrong;
static pthread_barrier_t barrier;

static void expect(int right)
{
	if (!right)
		__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

static void *filled(void *block, size_t size, size_t alignment)
{
	expect(block && (uintptr_t)block % alignment == 0 && malloc_usable_size(block) >= size);
	return memset(block, (int)(size % 251), size);
}

__attribute__((noinline)) static void one_round(void **blocks, size_t size)
{
	unsigned char *zeros = calloc(size, 3), *grown = malloc(size);

	for (size_t i = 0; i < size * 3; i++)
		expect(zeros[i] == 0);
	free(zeros);
	grown[size - 1] = 7;
	grown = realloc(grown, size * 10);
	expect(grown[size - 1] == 7);
	blocks[0] = filled(grown, size * 10, 16);
	blocks[1] = filled(aligned_alloc(64, (size + 63) / 64 * 64), size, 64);
	if (posix_memalign(&blocks[2], 4096, size))
		blocks[2] = NULL;
	filled(blocks[2], size, 4096);
	blocks[3] = filled(memalign(32, size), size, 32);
	blocks[4] = strcpy(malloc(20), "a string");
}

__attribute__((noinline)) static long free_some(void **blocks)
{
	long sum = 0;

	for (int i = 0; i < KEPT; i++) {
		sum += *(unsigned char *)blocks[i];
		free(blocks[i]);
	}
	return sum;
}

static void *run(void *argument)
{
	int mine = (int)(intptr_t)argument;
	long sum = 0;

	for (int i = 0; i < ROUNDS; i++)
		one_round(kept[mine][i], (size_t)(i + 1) * (size_t)(i + 1) * 4);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < ROUNDS; i++)
		sum += free_some(kept[(mine + 1) % THREADS][i]);
	return (void *)sum;
}

int main(void)
{
	pthread_t threads[THREADS];
	long sum = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++) {
		void *part;

		pthread_join(threads[i], &part);
		sum += (long)part;
	}
	printf("sum %ld, wrong %d\n", sum, wrong);
	return 3;
}
