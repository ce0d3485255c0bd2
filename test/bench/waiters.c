/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads to be sampled from outside: waiters WAITING RUNNING DEPTH SECONDS. The waiting ones wait for a
 * lock, the running ones read the clock, each DEPTH calls deep. A running thread that was stopped sees a gap.
 * Print the share of their time in gaps, in %, how many were above 25 us (shorter ones are mostly ticks),
 * and the median of those, in us.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define GAP_US	 1.0
#define STOP_US	 25.0
#define GAPS_MAX 100000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool has_ended;
static pthread_mutex_t gaps_lock = PTHREAD_MUTEX_INITIALIZER;
static double lost_us, gaps_us[GAPS_MAX];	/* in all gaps; those that may be stops */
static size_t nr_gaps;

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void note_gap(double gap_us)
{
	pthread_mutex_lock(&gaps_lock);
	lost_us += gap_us;
	if (gap_us > STOP_US && nr_gaps < GAPS_MAX)
		gaps_us[nr_gaps++] = gap_us;
	pthread_mutex_unlock(&gaps_lock);
}

__attribute__((noinline)) static void work(void)
{
	double before_us = now_us(), us;

	while (!atomic_load_explicit(&has_ended, memory_order_relaxed)) {
		us = now_us();
		if (us - before_us > GAP_US)
			note_gap(us - before_us);
		before_us = us;
	}
}

__attribute__((noinline)) static void wait_for_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void descend(int more, void (*leaf)(void))
{
	if (more > 1)
		descend(more - 1, leaf);
	else
		leaf();
	__asm__ volatile("");	/* neither call is the last thing done, so both keep a frame */
}

static int depth;

static void *begin(void *leaf)
{
	descend(depth, (void (*)(void))leaf);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
	int nr_waiting, nr;
	double seconds;
	pthread_t *threads;

	if (argc != 5)
		return 2;
	nr_waiting = atoi(argv[1]);
	nr = nr_waiting + atoi(argv[2]);
	depth = atoi(argv[3]);
	seconds = atof(argv[4]);
	threads = calloc((size_t)nr + 1, sizeof(*threads));
	if (!threads)
		return 1;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, begin, (void *)(i < nr_waiting ? wait_for_lock : work)))
			return 1;
	usleep((useconds_t)(seconds * 1e6));
	atomic_store(&has_ended, true);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	qsort(gaps_us, nr_gaps, sizeof(*gaps_us), compare);
	printf("%.3f %zu %.1f\n", lost_us / seconds / 1e4 / (nr > nr_waiting ? nr - nr_waiting : 1), nr_gaps,
	       gaps_us[nr_gaps / 2]);
	return 0;
}
