/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * threads N [one]: creates and joins N threads, one after the other, each of which makes a call; prints ns for each. With
 * "one" all run on one processor, and it is the median of pieces of 20: whether a new thread begins on another processor,
 * which has to be woken, changes from run to run by more than what is measured.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PIECE	20

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

__attribute__((no_instrument_function)) static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

__attribute__((no_instrument_function)) static void stay_here(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		exit(1);
}

/* ns for each of @count. */
__attribute__((no_instrument_function)) static double run_threads(long count)
{
	uint64_t start = now_ns();

	for (long i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
			exit(1);
	}
	return (double)(now_ns() - start) / (double)count;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0, nr_pieces = argc > 2 ? count / PIECE : 1;
	double *ns = calloc((size_t)nr_pieces + 1, sizeof(*ns));

	if (count < 1 || nr_pieces < 1 || count % nr_pieces || !ns)
		return 2;
	if (argc > 2)
		stay_here();
	for (long i = 0; i < nr_pieces; i++)
		ns[i] = run_threads(count / nr_pieces);
	if (sum != count)
		return 1;
	qsort(ns, (size_t)nr_pieces, sizeof(*ns), compare);
	printf("%.1f\n", ns[nr_pieces / 2]);
	return 0;
}
