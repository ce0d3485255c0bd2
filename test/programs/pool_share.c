/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four threads that begin with run_share: three of them do one part of the work in share, the last one 20. It
 * prints its number. The report must show share as uneven, and whose it is.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define PARTS 20

static pthread_barrier_t together;
static volatile long sink;

__attribute__((noinline)) static void share(long parts)
{
	for (long i = 0; i < parts * 4000000; i++)
		sink = i;
}

static void *run_share(void *number)
{
	const long parts = (long)number == 3 ? PARTS : 1;

	pthread_barrier_wait(&together);
	share(parts);
	if (parts == PARTS)
		printf("%d\n", (int)gettid());
	pthread_barrier_wait(&together);
	return NULL;
}

int main(void)
{
	pthread_t threads[4];

	pthread_barrier_init(&together, NULL, 4);
	for (long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run_share, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
