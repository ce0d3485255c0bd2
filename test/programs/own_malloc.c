/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with a malloc of its own: the recorder's is never called. The report must show work 100 calls, no
 * allocations, and the log must say why (heap_off).
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static _Alignas(64) char pool[1 << 20];
static size_t used;

__attribute__((no_instrument_function)) void *malloc(size_t bytes)
{
	void *block = pool + used + 16;

	if (used + bytes + 32 > sizeof(pool))
		return NULL;
	memcpy((char *)block - 8, &bytes, sizeof(bytes));
	used += (bytes + 16 + 15) & ~(size_t)15;
	return block;
}

__attribute__((no_instrument_function)) void free(void *block)
{
}

__attribute__((no_instrument_function)) void *calloc(size_t count, size_t bytes)
{
	return malloc(count * bytes);
}

__attribute__((no_instrument_function)) void *realloc(void *block, size_t bytes)
{
	void *moved = malloc(bytes);
	size_t old;

	if (!moved || !block)
		return moved;
	memcpy(&old, (char *)block - 8, sizeof(old));
	return memcpy(moved, block, old < bytes ? old : bytes);
}

__attribute__((noinline)) static void work(void)
{
	char *volatile block = malloc(100);

	block[0] = 1;
	free(block);
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		work();
	printf("%d\n", used > 10000);
	return 0;
}
