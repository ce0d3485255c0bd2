/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames that never return: longjmp and siglongjmp (out of a handler too). The report must show
 *   down 1000 calls (200 times 5 deep), land 200, big_frame 200, interrupted 100, handler 100, main 1;
 *   in the tree land and big_frame stand under main, not under down; 1000 + 200 calls are broken.
 * jumps often: first 300,000 calls of land.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf back;
static sigjmp_buf signal_back;
static volatile long sink;

__attribute__((noinline)) static void down(int depth)
{
	if (depth == 1)
		longjmp(back, 1);
	if (sink >= 0)
		down(depth - 1);
	sink++;			/* no tail call */
}

__attribute__((noinline)) static void land(void)
{
	sink++;
}

/* Its frame reaches further down than the dead ones did. */
__attribute__((noinline)) static void big_frame(void)
{
	volatile char room[4096];

	room[0] = 1;
	sink += room[0];
}

static void handler(int signal)
{
	siglongjmp(signal_back, 1);
}

__attribute__((noinline)) static void interrupted(void)
{
	raise(SIGUSR1);
	sink++;
}

int main(int argc, char **argv)
{
	for (int i = 0; argc > 1 && i < 300000; i++)
		land();
	signal(SIGUSR1, handler);
	for (volatile int i = 0; i < 200; i++) {
		if (!setjmp(back))
			down(5);
		else
			big_frame();
		land();
	}
	for (volatile int i = 0; i < 100; i++)
		if (!sigsetjmp(signal_back, 1))
			interrupted();
	printf("landed %ld\n", sink);
	return 0;
}
