/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "locks one N": ns of a pair of lock and unlock of a mutex that nobody else wants, the least of 20 parts of N
 * pairs. "locks two MS": pairs a second of two threads on one mutex, each with some 200 ns of work in it and as
 * much outside.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PARTS 20

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void one(long nr)
{
	double least_ns = 1e18;

	for (int part = 0; part < PARTS; part++) {
		double begin_ns = now_ns(), ns;

		for (long i = 0; i < nr / PARTS; i++) {
			pthread_mutex_lock(&mutex);
			pthread_mutex_unlock(&mutex);
		}
		ns = (now_ns() - begin_ns) / (double)(nr / PARTS);
		least_ns = ns < least_ns ? ns : least_ns;
	}
	printf("%.3f\n", least_ns);
}

static void work(void)
{
	for (volatile int i = 0; i < 100; i++)
		;
}

static void *take_turns(void *pairs)
{
	while (!is_over) {
		pthread_mutex_lock(&mutex);
		work();
		pthread_mutex_unlock(&mutex);
		work();
		++*(long *)pairs;
	}
	return NULL;
}

static void two(long ms)
{
	pthread_t threads[2];
	static struct { _Alignas(64) long pairs; } counts[2];
	double begin_ns = now_ns();

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, take_turns, &counts[i].pairs);
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
	is_over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%.0f\n", (double)(counts[0].pairs + counts[1].pairs) * 1e9 / (now_ns() - begin_ns));
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	(strcmp(argv[1], "one") == 0 ? one : two)(atol(argv[2]));
	return 0;
}
