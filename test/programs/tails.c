/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine of three states that go on to each other by tail calls, 30000 steps for each of 2 runs: clang
 * makes real ones, which end before the next begins; gcc's instrumented functions never tail-call. The report
 * must show red, green and blue 20000 calls each, done 2, main 1, and nothing broken; of clang, each state
 * under main.
 */
#include <stdio.h>

#ifdef __clang__
#define TAIL __attribute__((musttail))
#else
#define TAIL
#endif

static volatile long sink;

__attribute__((noinline)) static int done(int left)
{
	sink++;
	return left;
}

static int red(int left);
static int green(int left);

__attribute__((noinline)) static int blue(int left)
{
	sink++;
	if (!left)
		TAIL return done(left);
	TAIL return red(left - 1);
}

__attribute__((noinline)) static int green(int left)
{
	sink++;
	TAIL return blue(left);
}

__attribute__((noinline)) static int red(int left)
{
	sink++;
	TAIL return green(left);
}

int main(void)
{
	int left = red(9999) + red(9999);

	printf("steps %ld\n", sink);
	return left;
}
