/* SPDX-License-Identifier: GPL-3.0-or-later */
/* threads N: creates and joins N threads, one after the other, each of which makes a call; prints ns for each. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile long sum;

__attribute__((noinline)) static void work(void)
{
	sum++;
}

static void *run(void *argument)
{
	work();
	return argument;
}

__attribute__((no_instrument_function)) static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0;
	uint64_t start = now_ns();

	for (long i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	if (count < 1 || sum != count)
		return 1;
	printf("%.1f\n", (double)(now_ns() - start) / (double)count);
	return 0;
}
