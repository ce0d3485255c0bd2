/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads to be sampled from outside: waiters WAITING RUNNING DEPTH SECONDS. The waiting ones wait for a
 * lock, the running ones count, each DEPTH calls deep. Print how far all of these counted, in millions a
 * second.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool has_ended;
static atomic_ullong counted;

__attribute__((noinline)) static void work(void)
{
	unsigned long long nr = 0;

	while (!atomic_load_explicit(&has_ended, memory_order_relaxed))
		nr++;
	atomic_fetch_add(&counted, nr);
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
	printf("%.3f\n", (double)atomic_load(&counted) / seconds / 1e6);
	return 0;
}
