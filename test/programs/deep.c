/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Very deep recursion, twice: more open calls than any first piece of room for frames holds.
 * The report must show down 200000 calls (2 times 100000 deep), bottom 2, main 1; total of down, which counts
 * a recursion once, is not more than main's.
 */
#include <stdio.h>

static volatile long sink;

__attribute__((noinline)) static void bottom(void)
{
	sink++;
}

__attribute__((noinline)) static void down(int depth)
{
	if (depth > 1)
		down(depth - 1);
	else
		bottom();
	sink++;
}

int main(void)
{
	down(100000);
	down(100000);
	printf("down %ld\n", sink);
	return 0;
}
