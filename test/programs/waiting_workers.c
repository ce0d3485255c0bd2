/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four forked workers that allocate nothing and only wait: each for events five times, 10 to 25 ms, and six
 * times asleep. Main waits for them, and prints its pid. With an argument three threads are
 * cancelled while they wait for work. The report must have these waits of the workers, hooks or not.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sem_t work;

static void nap(long ms)
{
	const struct timespec half = { .tv_nsec = ms * 500000 };

	nanosleep(&half, NULL), nanosleep(&half, NULL);	/* one line, two calls: rows of its own for each */
}

static void serve(int epoll, int ms)
{
	struct epoll_event event;

	for (int i = 0; i < 5; i++)
		epoll_wait(epoll, &event, 1, ms);
}

static void *wait_for_work(void *none)
{
	sem_wait(&work);
	return none;
}

static int cancel(void)
{
	pthread_t threads[3];

	sem_init(&work, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, wait_for_work, NULL);
	nap(20);
	for (int i = 0; i < 3; i++) {
		pthread_cancel(threads[i]);
		pthread_join(threads[i], NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return cancel();
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			serve(epoll_create1(0), 10 + 5 * i);
			nap(1);
			nap(1);
			nap(2);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	printf("%d\n", getpid());
	return 0;
}
