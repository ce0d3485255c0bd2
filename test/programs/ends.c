/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end in the middle of a deep call: ends KIND, KIND one of return, exit, _exit, quick_exit, abort, kill,
 * segv, overflow (of the stack, by deeper), hog (takes memory until it is killed), pthread_exit (of main,
 * another thread goes on), exec. The report must show, whatever the end: level_1 to level_5 1 call each,
 * warm_up 1000; for all but return, exec and pthread_exit the five levels and main as open.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long sink;
static volatile int *volatile nowhere;

__attribute__((noinline)) static void warm_up(void)
{
	sink++;
}

static void *survivor(void *arg)
{
	usleep(50000);
	puts("survivor ends");
	return arg;
}

__attribute__((noinline)) static long deeper(long depth)
{
	volatile long room[8] = { depth };

	return depth < 0 ? 0 : deeper(depth + 1) + room[0];
}

__attribute__((noinline)) static void hog(void)
{
	for (;;) {
		char *memory = malloc(1 << 20);

		if (memory)
			memset(memory, 1, 1 << 20);
	}
}

__attribute__((noinline)) static void finish(const char *kind)
{
	pthread_t thread;

	if (!strcmp(kind, "exit"))
		exit(11);
	if (!strcmp(kind, "_exit"))
		_exit(12);
	if (!strcmp(kind, "quick_exit"))
		quick_exit(13);
	if (!strcmp(kind, "abort"))
		abort();
	if (!strcmp(kind, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(kind, "segv"))
		*nowhere = 1;
	if (!strcmp(kind, "overflow"))
		sink = deeper(0);
	if (!strcmp(kind, "hog"))
		hog();
	if (!strcmp(kind, "exec"))
		execl("/bin/sh", "sh", "-c", "exit 14", (char *)NULL);
	if (!strcmp(kind, "pthread_exit")) {
		pthread_create(&thread, NULL, survivor, NULL);
		pthread_detach(thread);
		pthread_exit(NULL);
	}
}

#define LEVEL(name, next)					\
	__attribute__((noinline)) static void name(const char *kind)	\
	{							\
		next(kind);					\
		sink++;						\
	}

LEVEL(level_5, finish)
LEVEL(level_4, level_5)
LEVEL(level_3, level_4)
LEVEL(level_2, level_3)
LEVEL(level_1, level_2)

int main(int argc, char **argv)
{
	for (int i = 0; i < 1000; i++)
		warm_up();
	level_1(argc > 1 ? argv[1] : "return");
	return 10;
}
