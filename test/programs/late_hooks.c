/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that has ended, for the recorder, still calls late() from its very last destructor, while another
 * thread that has begun since is within inside(). Both print their function and tid. The report must show
 * late() and inside() once, each with that thread, and late() not below inside(). Four more threads wait
 * meanwhile: they use up log.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static sem_t in_destructor, go_on, all_done;
static pthread_key_t key;
static volatile long sink;

__attribute__((noinline)) static void late(void)
{
	sink++;
}

static void on_key(void *round)
{
	if ((intptr_t)round < 4) {
		pthread_setspecific(key, (void *)((intptr_t)round + 1));
		return;
	}
	sem_post(&in_destructor);
	sem_wait(&go_on);
	late();
	printf("late %d\n", gettid());
}

static void *ending(void *argument)
{
	pthread_setspecific(key, (void *)1);
	return argument;
}

__attribute__((noinline)) static void inside(pthread_t *other)
{
	sem_post(&go_on);
	pthread_join(*other, NULL);
	printf("inside %d\n", gettid());
}

static void *beginning(void *other)
{
	inside(other);
	return NULL;
}

static void *waiting(void *argument)
{
	sem_wait(&all_done);
	return argument;
}

int main(void)
{
	pthread_t ends, begins, waits[4];

	sem_init(&in_destructor, 0, 0);
	sem_init(&go_on, 0, 0);
	sem_init(&all_done, 0, 0);
	pthread_key_create(&key, on_key);
	for (int i = 0; i < 4; i++)
		pthread_create(&waits[i], NULL, waiting, NULL);
	pthread_create(&ends, NULL, ending, NULL);
	sem_wait(&in_destructor);
	pthread_create(&begins, NULL, beginning, &ends);
	pthread_join(begins, NULL);
	for (int i = 0; i < 4; i++)
		sem_post(&all_done);
	for (int i = 0; i < 4; i++)
		pthread_join(waits[i], NULL);
	return 0;
}
