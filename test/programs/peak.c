/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One thread, whose heap is highest in the middle: live are then 1 block of 1000 bytes of base, 50 of 12345
 * of grow, in main > rise > grow, 1 of 777 of last, in main > rise > last. So the peak is 619027 bytes in 52
 * blocks, and was reached in last. Afterwards less: again allocates 40 blocks of 12345. With an argument it
 * kills itself at the peak.
 */
#include <signal.h>
#include <stdlib.h>

#define SITE __attribute__((noinline)) static

static void *volatile blocks[50];
static void *volatile base_block, *volatile last_block;

SITE void base(void)
{
	base_block = malloc(1000);
}

SITE void grow(void)
{
	for (int i = 0; i < 50; i++) {
		last_block = malloc(100);
		free(last_block);
		blocks[i] = malloc(12345);
	}
}

SITE void last(int dies)
{
	last_block = malloc(777);
	if (dies)
		raise(SIGKILL);
	free(last_block);
}

SITE void rise(int dies)
{
	grow();
	last(dies);
	for (int i = 0; i < 50; i++)
		free(blocks[i]);
}

SITE void again(void)
{
	for (int i = 0; i < 40; i++)
		blocks[i] = malloc(12345);
	for (int i = 0; i < 40; i++)
		free(blocks[i]);
}

int main(int argc, char **argv)
{
	base();
	rise(argc > 1);
	again();
	free(base_block);
	return 0;
}
