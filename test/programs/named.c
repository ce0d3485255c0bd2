/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Threads that main names once they run, and a process that is killed, so no thread records its name at its
 * end. The report must show threads named-0 to named-3, each with one call of runs.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sem_t running;

__attribute__((noinline)) static void runs(void)
{
	sem_post(&running);
}

static void *serve(void *argument)
{
	runs();
	for (;;)
		pause();
	return argument;
}

int main(void)
{
	sem_init(&running, 0, 0);
	for (int i = 0; i < 4; i++) {
		pthread_t thread;
		char name[16];

		snprintf(name, sizeof(name), "named-%d", i);
		if (pthread_create(&thread, NULL, serve, NULL) != 0)
			return 1;
		while (sem_wait(&running) < 0)
			;
		if (pthread_setname_np(thread, name) != 0)
			return 1;
	}
	kill(getpid(), SIGKILL);
	return 1;
}
