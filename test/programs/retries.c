/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One jump from 20 call paths: dive(), 1 to 20 deep, jumps back to main(). The report must show one error in
 * text, 20 times, 210 calls broken; as data one row for each path. With an argument it ends in a call with a
 * long path, with status 4: main > first_step_of_the_way > second_step_of_the_way > leave.
 */
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;
static volatile long sink;

__attribute__((noinline)) static void dive(int depth)
{
	if (depth == 1)
		longjmp(back, 1);
	if (sink >= 0)
		dive(depth - 1);
	sink++;			/* no tail call */
}

__attribute__((noinline)) static void leave(void)
{
	if (sink >= 0)
		exit(4);
}

__attribute__((noinline)) static void second_step_of_the_way(void)
{
	leave();
	sink++;
}

__attribute__((noinline)) static void first_step_of_the_way(void)
{
	second_step_of_the_way();
	sink++;
}

int main(int argc, char **argv)
{
	for (volatile int depth = 1; depth <= 20; depth++)
		if (setjmp(back) == 0)
			dive(depth);
	if (argc > 1)
		first_step_of_the_way();
	return 0;
}
