/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * still_running return|exit|leave: 4 threads are in busy() when main returns, when another thread calls
 * exit(), or after main left by pthread_exit() within leave(); in the last case the threads end by
 * themselves. The report must show busy() and run() 4 times each, open at the end in the first two cases. In
 * the last case it must show leave() once, ended, and exit status 0.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sem_t begun, go_on;

__attribute__((noinline)) static void busy(void)
{
	sem_post(&begun);
	sem_wait(&go_on);
}

static void *run(void *argument)
{
	busy();
	return argument;
}

static void *end_process(void *argument)
{
	exit(3);
}

__attribute__((noinline)) static void leave(void)
{
	for (int i = 0; i < 4; i++)
		sem_post(&go_on);
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	sem_init(&begun, 0, 0);
	sem_init(&go_on, 0, 0);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread, NULL, run, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		sem_wait(&begun);
	if (argc > 1 && strcmp(argv[1], "leave") == 0)
		leave();
	if (argc > 1 && strcmp(argv[1], "exit") == 0) {
		pthread_create(&thread, NULL, end_process, NULL);
		pause();
	}
	return 2;
}
