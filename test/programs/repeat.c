/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * repeat N: calls by the argument, to be added up over runs. The report must show step() N times and down() 3
 * times, once called by main and twice by itself. With -DNEWER, another build at other addresses, only_new()
 * is called once.
 */
#include <stdlib.h>

static volatile long sink;

#ifdef NEWER
__attribute__((noinline)) static void only_new(void)
{
	sink += 2;
}
#endif

__attribute__((noinline)) static void step(long i)
{
	sink += i;
}

__attribute__((noinline)) static void down(int depth)
{
	if (depth > 1)
		down(depth - 1);
	sink++;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;

	for (long i = 0; i < n; i++)
		step(i);
	down(3);
#ifdef NEWER
	only_new();
#endif
	return 0;
}
