/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two threads make new call paths until the end, so that the log grows all the time. Meanwhile main forks 400
 * children, which do not exec. Prints how many of them had more descriptors than main had at first: 0.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKS		400
#define DESCRIPTORS	32
#define DEPTH		40

static atomic_bool is_over;

static void left(unsigned path, int depth);

static void right(unsigned path, int depth)
{
	if (depth)
		(path >> 16 & 1 ? left : right)(path * 1103515245u + 12345u, depth - 1);
}

/* A new path for nearly each start. */
static void left(unsigned path, int depth)
{
	if (depth)
		(path >> 17 & 1 ? left : right)(path * 1664525u + 1013904223u, depth - 1);
}

static void *make_paths(void *first)
{
	for (unsigned path = first ? 1 : 2; !is_over; path += 2)
		left(path * 2654435761u, DEPTH);
	return NULL;
}

__attribute__((no_instrument_function)) static int nr_descriptors(void)
{
	int nr = 0;

	for (int fd = 0; fd < DESCRIPTORS; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

int main(int argc, char **argv)
{
	int nr = nr_descriptors(), nr_more = 0, status;
	pthread_t threads[2];

	if (pthread_create(&threads[0], NULL, make_paths, NULL) ||
	    pthread_create(&threads[1], NULL, make_paths, argv))
		return 1;
	for (int i = 0; i < FORKS; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(nr_descriptors() > nr);
		if (child < 0 || waitpid(child, &status, 0) != child)
			return 1;
		nr_more += status != 0;
	}
	is_over = true;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%d\n", nr_more);
	return 0;
}
