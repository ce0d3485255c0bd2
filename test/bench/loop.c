/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loops whose calls are timed: loop KIND CALLS, built with and without hooks and with -pg.
 *   one        one empty function
 *   sixteen    16 empty functions in turn
 *   pair       two threads at once, one function each; CALLS each
 *   spin       calls that last about 20 us
 * Prints ns per call, the loop included: the median of pieces, since a guest's processor is taken away at times. pair: of
 * the slower thread.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOT_TIMED __attribute__((no_instrument_function))
#define CALLEE(n) __attribute__((noinline)) static void callee_##n(void) { __asm__ volatile("" ::: "memory"); }

CALLEE(0) CALLEE(1) CALLEE(2) CALLEE(3) CALLEE(4) CALLEE(5) CALLEE(6) CALLEE(7)
CALLEE(8) CALLEE(9) CALLEE(10) CALLEE(11) CALLEE(12) CALLEE(13) CALLEE(14) CALLEE(15)

NOT_TIMED static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void spin(void)
{
	uint64_t end = now_ns() + 20000;

	while (now_ns() < end)
		;
}

NOT_TIMED static void call_one(long calls)
{
	for (long i = 0; i < calls; i++)
		callee_0();
}

NOT_TIMED static void call_sixteen(long calls)
{
	for (long i = 0; i < calls; i += 16) {
		callee_0(), callee_1(), callee_2(), callee_3(), callee_4(), callee_5(), callee_6(), callee_7();
		callee_8(), callee_9(), callee_10(), callee_11(), callee_12(), callee_13(), callee_14(), callee_15();
	}
}

NOT_TIMED static void call_spin(long calls)
{
	for (long i = 0; i < calls; i++)
		spin();
}

#define NR_PIECES 200

struct job {
	void (*loop)(long calls);
	long calls;
	double ns;
};

NOT_TIMED static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

NOT_TIMED static void *do_job(void *argument)
{
	struct job *job = argument;
	double pieces[NR_PIECES];
	long calls = job->calls / NR_PIECES / 16 * 16;

	job->loop(calls);	/* warm */
	for (int i = 0; i < NR_PIECES; i++) {
		uint64_t start = now_ns();

		job->loop(calls);
		pieces[i] = (double)(now_ns() - start) / (double)calls;
	}
	qsort(pieces, NR_PIECES, sizeof(*pieces), compare);
	job->ns = pieces[NR_PIECES / 2];
	return NULL;
}

NOT_TIMED int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[1] : "";
	struct job job = { call_one, argc > 2 ? atol(argv[2]) : 0, 0 }, other = job;
	pthread_t thread;

	if (!strcmp(kind, "sixteen"))
		job.loop = call_sixteen;
	else if (!strcmp(kind, "spin"))
		job.loop = call_spin;
	else if (!strcmp(kind, "pair"))
		pthread_create(&thread, NULL, do_job, &other);
	else if (strcmp(kind, "one"))
		return 2;
	do_job(&job);
	if (!strcmp(kind, "pair")) {
		pthread_join(thread, NULL);
		if (other.ns > job.ns)
			job.ns = other.ns;
	}
	printf("%.3f\n", job.ns);
	return 0;
}
