/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vfork children in another pid namespace, where the numbers of our threads mean nothing, while three threads
 * work: 100 children, each of which ends at once. The report must show work 3000 times, and no call without
 * an exit.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t begun, ended;
static volatile long sink;

__attribute__((noinline)) static void work(void)
{
	sink++;
}

static void *body(void *argument)
{
	pthread_barrier_wait(&begun);
	for (int i = 0; i < 1000; i++) {
		work();
		usleep(10);
	}
	pthread_barrier_wait(&ended);
	return argument;
}

int main(void)
{
	pthread_t threads[3];
	pid_t first;

	pthread_barrier_init(&begun, NULL, 4);
	pthread_barrier_init(&ended, NULL, 4);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, body, NULL))
			return 77;
	pthread_barrier_wait(&begun);
	if (unshare(CLONE_NEWPID)) {
		perror("unshare");
		return 77;
	}
	first = fork();		/* as the first process of the namespace, it would end the namespace */
	if (first == 0)
		for (;;)
			pause();
	for (int i = 0; i < 100; i++) {
		pid_t child = vfork();

		if (child == 0)
			_exit(0);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	pthread_barrier_wait(&ended);
	kill(first, SIGKILL);
	waitpid(first, NULL, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	puts("fine");
	return 0;
}
