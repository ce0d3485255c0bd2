/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * 8 threads of <threads.h>, one after the other, that end within leave(); then 0.2 s of main alone. The
 * report must show run() and leave() 8 times each, timed, and in far less than that; step() 80 times; 9
 * threads.
 */
#include <stdio.h>
#include <threads.h>
#include <time.h>

static volatile long sink;

__attribute__((noinline)) static void step(void)
{
	sink++;
}

__attribute__((noinline)) static void leave(int result)
{
	thrd_exit(result);
}

static int run(void *number)
{
	for (int i = 0; i < 10; i++)
		step();
	leave((int)(long)number);
	return -1;
}

int main(void)
{
	struct timespec wait = { .tv_nsec = 200000000 };

	for (long i = 0; i < 8; i++) {
		thrd_t thread;
		int result = -1;

		if (thrd_create(&thread, run, (void *)i) != thrd_success ||
		    thrd_join(thread, &result) != thrd_success)
			return 1;
		printf("%d\n", result);
	}
	thrd_sleep(&wait, NULL);
	return 0;
}
