/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads with names and ends of every kind. The report must show
 *   work 40000 calls (4 threads named worker-0 to worker-3, 10000 each), brief 64 calls (64 threads one after
 *   the
 *   other), leave 8 calls (pthread_exit in the middle) and be_cancelled 8 calls (pthread_cancel in the
 *   middle),
 *   detached 1 call; main 1 call. No frame stays open but those of the threads' ends.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long sum;
static sem_t ready;

__attribute__((noinline)) static void work(long n)
{
	atomic_fetch_add_explicit(&sum, n, memory_order_relaxed);
}

static void *worker(void *name)
{
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 10000; i++)
		work(1);
	return NULL;
}

static void *brief(void *arg)
{
	return arg;
}

__attribute__((noinline)) static void leave(void)
{
	pthread_exit(NULL);
}

static void *leaver(void *arg)
{
	leave();
	return arg;
}

__attribute__((noinline)) static void be_cancelled(void)
{
	sem_post(&ready);
	for (;;)
		pause();
}

static void *victim(void *arg)
{
	be_cancelled();
	return arg;
}

static void *detached(void *arg)
{
	sem_post(&ready);
	return arg;
}

static pthread_t start(void *(*function)(void *), void *argument)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, function, argument);

	if (error) {
		fprintf(stderr, "threads: %s\n", strerror(error));
		exit(1);
	}
	return thread;
}

int main(void)
{
	static char names[4][16];
	pthread_t workers[4];

	sem_init(&ready, 0, 0);
	for (int i = 0; i < 4; i++) {
		snprintf(names[i], sizeof(names[i]), "worker-%d", i);
		workers[i] = start(worker, names[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(workers[i], NULL);
	for (int i = 0; i < 64; i++)
		pthread_join(start(brief, NULL), NULL);
	for (int i = 0; i < 8; i++) {
		pthread_t thread;

		pthread_join(start(leaver, NULL), NULL);
		thread = start(victim, NULL);
		sem_wait(&ready);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	pthread_detach(start(detached, NULL));
	sem_wait(&ready);
	printf("sum %ld\n", atomic_load(&sum));
	return 0;
}
