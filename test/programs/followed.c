/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that are followed while they are made: followed N [FIFO]. Main starts two threads. Each calls worker,
 * which calls batch three times, which calls leaf N times. With a FIFO, main then calls waiting, which waits
 * until a process has opened the FIFO for writing and closed it again. The report must show leaf 6 N, batch
 * 6, worker 2, waiting 1 or 0, leave 1, main 1 calls. leave and main never return, because leave calls exit.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCHES 3

static volatile long sink;
static long nr_leaves;

static void leaf(void)
{
	sink++;
}

static void batch(void)
{
	for (long i = 0; i < nr_leaves; i++)
		leaf();
}

static void *worker(void *unused)
{
	for (int i = 0; i < BATCHES; i++)
		batch();
	return unused;
}

static void waiting(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, &byte, 1) != 0)
		_exit(1);
	close(fd);
}

static void leave(void)
{
	exit(3);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	nr_leaves = argc > 1 ? atol(argv[1]) : 1;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, worker, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("a line of its own");
	fflush(stdout);
	if (argc > 2)
		waiting(argv[2]);
	leave();
}
