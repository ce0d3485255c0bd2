/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A disk that is full from now on: fill FILE THREADS. work is called 1000 times, then FILE takes all the room
 * that is left, then work is called 300000 times and once by each of so many threads at a time, for which a
 * log needs more room. It prints "work N" whatever happens. The report must show at most N calls of work, all
 * without threads, and say what was lost.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long nr;
static pthread_barrier_t all;

__attribute__((noinline)) static void work(void)
{
	atomic_fetch_add(&nr, 1);
}

static void *thread(void *argument)
{
	work();
	pthread_barrier_wait(&all);
	return argument;
}

static void take_all_room(const char *path)
{
	static char buffer[65536];
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	size_t size = sizeof(buffer);

	while (fd >= 0 && size > 0)
		if (write(fd, buffer, size) <= 0)
			size /= 2;
}

static void run_threads(int count)
{
	pthread_t *ids = calloc((size_t)count + 1, sizeof(*ids));

	pthread_barrier_init(&all, NULL, (unsigned int)count + 1);
	for (int i = 0; ids && i < count; i++)
		if (pthread_create(&ids[i], NULL, thread, NULL))
			exit(1);
	pthread_barrier_wait(&all);
	for (int i = 0; ids && i < count; i++)
		pthread_join(ids[i], NULL);
	free(ids);
}

int main(int argc, char **argv)
{
	int nr_threads = argc > 2 ? atoi(argv[2]) : 0;

	for (int i = 0; i < 1000; i++)
		work();
	if (argc > 1)
		take_all_room(argv[1]);
	for (int i = 0; i < 300000; i++)
		work();
	run_threads(nr_threads);
	printf("work %ld\n", atomic_load(&nr));
	return 0;
}
