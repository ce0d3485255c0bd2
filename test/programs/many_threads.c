/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * many_threads COUNT: short threads, up to 4 at a time, and one that lives as long as all of them. Thread i
 * calls step() i % 5 + 1 times. Of each 8 threads one ends by pthread_exit within leave(), one is cancelled
 * within wait_for_ever(), one is detached. Each prints its tid and the number of its calls of step(). The
 * report must show the same numbers of step(), in total and by thread; COUNT / 8 calls of leave() and of
 * wait_for_ever(); COUNT + 2 threads.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PLAIN, LEAVES, CANCELLED, DETACHED };
static sem_t started, detached_ended, all_ended;
static volatile long sink;

__attribute__((noinline)) static void step(void)
{
	sink++;
}

__attribute__((noinline)) static void leave(void)
{
	pthread_exit(NULL);
}

__attribute__((noinline)) static void wait_for_ever(void)
{
	sem_post(&started);
	for (;;)
		pause();
}

__attribute__((noinline)) static void take_steps(long i)
{
	for (long n = 0; n < i % 5 + 1; n++)
		step();
	printf("%d %ld\n", gettid(), i % 5 + 1);
}

__attribute__((no_instrument_function)) static int kind_of(long i)
{
	return i % 8 < 3 ? (int)(i % 8) + 1 : PLAIN;
}

static void *brief(void *number)
{
	take_steps((long)number);
	if (kind_of((long)number) == LEAVES)
		leave();
	if (kind_of((long)number) == CANCELLED)
		wait_for_ever();
	if (kind_of((long)number) == DETACHED)
		sem_post(&detached_ended);
	return NULL;
}

static void *long_lived(void *argument)
{
	sem_wait(&all_ended);
	return argument;
}

static pthread_t start(void *(*function)(void *), long number)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, (void *)number)) {
		perror("pthread_create");
		exit(1);
	}
	return thread;
}

static void end(pthread_t thread, int kind)
{
	if (kind == DETACHED) {
		pthread_detach(thread);
		sem_wait(&detached_ended);
		return;
	}
	if (kind == CANCELLED) {
		sem_wait(&started);
		pthread_cancel(thread);
	}
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 0;
	pthread_t threads[4], other;

	sem_init(&started, 0, 0);
	sem_init(&detached_ended, 0, 0);
	sem_init(&all_ended, 0, 0);
	other = start(long_lived, 0);
	for (long i = 0; i < count; i += 4) {
		for (long k = i; k < i + 4 && k < count; k++)
			threads[k - i] = start(brief, k);
		for (long k = i; k < i + 4 && k < count; k++)
			end(threads[k - i], kind_of(k));
	}
	sem_post(&all_ended);
	pthread_join(other, NULL);
	return 0;
}
