/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A peak long before the first free: gather allocates 40 blocks of 1000 bytes, main sleeps for 500 ms, drop
 * frees them. The peak is gather's, before the sleep ends.
 */
#include <stdlib.h>
#include <time.h>

static void *volatile blocks[40];

__attribute__((noinline)) static void gather(void)
{
	for (int i = 0; i < 40; i++)
		blocks[i] = malloc(1000);
}

__attribute__((noinline)) static void drop(void)
{
	for (int i = 39; i >= 0; i--)
		free(blocks[i]);
}

int main(void)
{
	gather();
	nanosleep(&(struct timespec){ 0, 500000000 }, NULL);
	drop();
	return 0;
}
