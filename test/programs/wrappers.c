/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation by wrappers: load takes 300 blocks of 100 bytes, build 200 of 50, by xmalloc, which calls checked,
 * the only one that calls malloc, and notes the bytes in another function. single takes 150 of 40, for one
 * caller alone. table takes 120 of 10 by take(), from reallocate, which frees them for drop(), as Lua's and
 * other allocators do. The first page must show load, build, single and take, and name xmalloc, checked and
 * reallocate; -v heap has checked.
 */
#include <stdlib.h>

static void *volatile blocks[650];
static int nr_blocks;
static volatile size_t nr_bytes;

__attribute__((noinline)) static void *checked(size_t bytes)
{
	void *block = malloc(bytes);

	if (!block)
		abort();
	return block;
}

__attribute__((noinline)) static void note(size_t bytes)
{
	nr_bytes += bytes;
}

__attribute__((noinline)) static void *xmalloc(size_t bytes)
{
	void *block = checked(bytes ? bytes : 1);

	note(bytes);
	blocks[nr_blocks++] = block;
	return block;
}

__attribute__((noinline)) static void load(void)
{
	for (int i = 0; i < 300; i++)
		xmalloc(100);
}

__attribute__((noinline)) static void build(void)
{
	for (int i = 0; i < 200; i++)
		xmalloc(50);
}

__attribute__((noinline)) static void single(void)
{
	blocks[nr_blocks++] = malloc(40);
}

__attribute__((noinline)) static void *reallocate(void *block, size_t bytes)
{
	if (bytes)
		return realloc(block, bytes);
	free(block);
	return NULL;
}

__attribute__((noinline)) static void *take(size_t bytes)
{
	return reallocate(NULL, bytes);
}

__attribute__((noinline)) static void drop(void *block)
{
	reallocate(block, 0);
}

__attribute__((noinline)) static void table(void)
{
	for (int i = 0; i < 120; i++)
		drop(take(10));
}

int main(void)
{
	table();
	load();
	build();
	checked(1);
	for (int i = 0; i < 149; i++)
		single();
	return 0;
}
