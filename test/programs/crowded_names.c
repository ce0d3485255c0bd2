/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two functions whose names the recorder cannot remember at one time, as they lie 16 KiB apart: a thread
 * calls them in turn while main forks 400 children, which do not exec. Prints how many of them had more
 * descriptors than main began with: 0.
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
#define APART		16384

static atomic_bool is_over;
static volatile unsigned nr_calls;

__attribute__((noinline, aligned(APART))) static void first(void)
{
	nr_calls++;
}

__attribute__((noinline, aligned(APART))) static void second(void)
{
	nr_calls++;
}

__attribute__((no_instrument_function)) static void *take_turns(void *unused)
{
	while (!is_over) {
		first();
		second();
	}
	return unused;
}

__attribute__((no_instrument_function)) static int nr_descriptors(void)
{
	int nr = 0;

	for (int fd = 0; fd < DESCRIPTORS; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

int main(void)
{
	int nr = nr_descriptors(), nr_more = 0, status;
	pthread_t thread;

	if (pthread_create(&thread, NULL, take_turns, NULL))
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
	pthread_join(thread, NULL);
	printf("%d\n", nr_more);
	return 0;
}
