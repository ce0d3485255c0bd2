/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The whole malloc family; allocations per function known by construction. The report must show as
 * alloc_calls
 *   by_malloc 100, by_calloc 100, by_realloc 200 (100 new, 100 grown), by_reallocarray 100, by_posix_memalign
 *   100,
 *   by_aligned_alloc 100, by_memalign 100, by_valloc 100, by_pvalloc 100, by_strdup 100, by_failing 0 (1
 *   failed),
 *   leaves 10 and never frees; every other function frees what it got, release frees 100 of by_malloc's.
 * Sizes are 1000 bytes but for by_pvalloc (whole pages) and by_strdup (12).
 *
 * alloc often: then 300,000 calls each of tiny, which never allocates, of seldom, 1 in 64 of which calls
 * one_block, and of commonly, 1 in 8 of which calls keep_block.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR 100
#define SIZE 1000

static void *volatile blocks[NR];
static void *volatile kept;

__attribute__((noinline)) static void release(void)
{
	for (int i = 0; i < NR; i++)
		free(blocks[i]);
}

__attribute__((noinline)) static void by_malloc(void)
{
	for (int i = 0; i < NR; i++)
		blocks[i] = malloc(SIZE);
	release();
}

#define ALLOCATE_AND_FREE(name, allocation)			\
	__attribute__((noinline)) static void name(void)	\
	{							\
		for (int i = 0; i < NR; i++)			\
			blocks[i] = allocation;			\
		for (int i = 0; i < NR; i++)			\
			free(blocks[i]);			\
	}

ALLOCATE_AND_FREE(by_calloc, calloc(10, SIZE / 10))
ALLOCATE_AND_FREE(by_realloc, realloc(malloc(SIZE), 2 * SIZE))
ALLOCATE_AND_FREE(by_reallocarray, reallocarray(NULL, 10, SIZE / 10))
ALLOCATE_AND_FREE(by_aligned_alloc, aligned_alloc(64, 1024))
ALLOCATE_AND_FREE(by_memalign, memalign(256, SIZE))
ALLOCATE_AND_FREE(by_valloc, valloc(SIZE))
ALLOCATE_AND_FREE(by_pvalloc, pvalloc(SIZE))
ALLOCATE_AND_FREE(by_strdup, strdup("hello world"))

__attribute__((noinline)) static void by_posix_memalign(void)
{
	for (int i = 0; i < NR; i++) {
		void *block;

		if (posix_memalign(&block, 128, SIZE) == 0)
			blocks[i] = block;
	}
	for (int i = 0; i < NR; i++)
		free(blocks[i]);
}

__attribute__((noinline)) static void by_failing(void)
{
	volatile size_t too_much = SIZE_MAX / 2;

	kept = malloc(too_much);
}

__attribute__((noinline)) static void leaves(void)
{
	for (int i = 0; i < 10; i++)
		kept = malloc(SIZE);
}

__attribute__((noinline)) static void one_block(void)
{
	kept = malloc(SIZE);
	free(kept);
}

__attribute__((noinline)) static void keep_block(void)
{
	kept = malloc(16);
}

__attribute__((noinline)) static void tiny(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) static void seldom(int i)
{
	if (i % 64 == 0)
		one_block();
}

__attribute__((noinline)) static void commonly(int i)
{
	if (i % 8 == 0)
		keep_block();
}

__attribute__((noinline)) static void often(void)
{
	for (int i = 0; i < 300000; i++) {
		tiny();
		seldom(i);
		commonly(i);
	}
}

int main(int argc, char **argv)
{
	by_malloc();
	by_calloc();
	by_realloc();
	by_reallocarray();
	by_posix_memalign();
	by_aligned_alloc();
	by_memalign();
	by_valloc();
	by_pvalloc();
	by_strdup();
	by_failing();
	leaves();
	if (argc > 1)
		often();
	return kept == NULL;
}
