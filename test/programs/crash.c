/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fatal signal while threads are in calls: crash SIGNAL-NUMBER|fault. The report must show, whichever
 * thread it came in: main > start open; in two threads hold > rest open; in a third work > fail, where it
 * happened; warm_up 100.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOLDERS	2

static volatile long sink;
static volatile int *volatile nowhere;
static pthread_barrier_t all_are_there;

__attribute__((noinline)) static void warm_up(void)
{
	sink++;
}

__attribute__((noinline)) static void rest(void)
{
	pthread_barrier_wait(&all_are_there);
	for (;;)
		pause();
}

static void *hold(void *arg)
{
	rest();
	sink++;
	return arg;
}

__attribute__((noinline)) static void fail(const char *how)
{
	for (int i = 0; i < 100; i++)
		warm_up();
	pthread_barrier_wait(&all_are_there);
	usleep(20000);	/* the others are in pause() */
	if (strcmp(how, "fault") == 0)
		*nowhere = 1;
	raise((int)strtol(how, NULL, 10));
	sink++;
}

static void *work(void *arg)
{
	fail(arg);
	sink++;
	return arg;
}

__attribute__((noinline)) static void start(char *how)
{
	pthread_t threads[HOLDERS + 1];

	pthread_barrier_init(&all_are_there, NULL, HOLDERS + 1);
	for (int i = 0; i < HOLDERS; i++)
		pthread_create(&threads[i], NULL, hold, NULL);
	pthread_create(&threads[HOLDERS], NULL, work, how);
	for (int i = 0; i <= HOLDERS; i++)
		pthread_join(threads[i], NULL);
	sink++;
}

int main(int argc, char **argv)
{
	start(argc > 1 ? argv[1] : "fault");
	return 0;
}
