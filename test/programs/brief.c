/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * brief HOW [N]: a program that the tests build without hooks. The report must show it as a process, with its
 * end and with these allocations, whether it lived for long enough to get a log of its own or not:
 *   heap N    100 blocks of at least 1000 bytes, 40 of them freed; after half of that N us of CPU time pass
 *   kill      the same 100, then SIGKILL
 *   spin      computes for 60 ms of CPU time without a call of anything
 *   thread    starts a thread and waits for it; 2 threads
 *   race N    from N us after its start on: allocates and frees, forks a child that exits with 7, exits with
 *             5
 *   exec      another image of it by exec: heap 0
 *   usable    prints how many bytes such a block has
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void spin(clockid_t clock, uint64_t us)
{
	uint64_t end = now_us(clock) + us;

	while (now_us(clock) < end)
		;
}

static void *volatile blocks[100];

static void heap(uint64_t us)
{
	for (int i = 0; i < 50; i++)
		blocks[i] = malloc(1000);
	spin(CLOCK_THREAD_CPUTIME_ID, us);
	for (int i = 0; i < 40; i++)
		free(blocks[i]);
	for (int i = 50; i < 100; i++)
		blocks[i] = malloc(1000);
}

static void allocate(void)
{
	for (int i = 0; i < 200; i++) {
		blocks[0] = malloc(1000);
		free(blocks[0]);
	}
}

static int race(uint64_t us)
{
	pid_t child;
	int status;

	spin(CLOCK_MONOTONIC, us);
	allocate();
	child = fork();
	if (child == 0)
		_exit(7);
	allocate();
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
		return 1;
	return 5;
}

static void *nothing(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	uint64_t us = argc > 2 ? (uint64_t)atol(argv[2]) : 0;
	pthread_t thread;

	if (!strcmp(how, "heap") || !strcmp(how, "kill"))
		heap(us);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "usable"))
		printf("%zu\n", malloc_usable_size(malloc(1000)));
	if (!strcmp(how, "spin"))
		spin(CLOCK_THREAD_CPUTIME_ID, 60000);
	if (!strcmp(how, "thread") && pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_join(thread, NULL);
	if (!strcmp(how, "race"))
		return race(us);
	if (!strcmp(how, "exec"))
		execl(argv[0], argv[0], "heap", "0", (char *)NULL);
	return 0;
}
