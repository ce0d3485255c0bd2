/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dies in a known depth: dies HOW [thread|fork]. The stack must be the way of dying (see ways), fail, 4 times
 * step, run, and main, or in a thread begin.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define STEPS 4

static volatile long sink, endless;
static volatile int *volatile nowhere;
static void (*volatile nothing)(void);
static char *volatile kept;

static inline __attribute__((always_inline)) void poke(volatile int *where)
{
	*where = 1;
}

static NOINLINE void by_fault(void)
{
	poke(nowhere);
}

static NOINLINE void by_abort(void)
{
	abort();
}

static NOINLINE void by_null(void)
{
	nothing();
	sink++;
}

static int compare(const void *a, const void *b)
{
	poke(nowhere);
	return *(const int *)a - *(const int *)b;
}

/* Through code of libc. */
static NOINLINE void by_library(void)
{
	int numbers[2] = { 2, 1 };

	qsort(numbers, 2, sizeof(*numbers), compare);
	sink += numbers[0];
}

static void on_signal(int number)
{
	sink += number;
	poke(nowhere);
}

static NOINLINE void by_handler(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	sink++;
}

static NOINLINE long deeper(long n)
{
	volatile char room[200];

	room[n % 200] = (char)n;
	return n == endless ? 0 : deeper(n + 1) + room[n % 200];
}

static NOINLINE void by_overflow(void)
{
	sink += deeper(1);
}

/* These two live on for a while: a heap of 64 MiB that is never touched, and memory that is. */
static NOINLINE void by_memory(void)
{
	for (int i = 0; i < 64; i++)
		kept = malloc(1 << 20);
	usleep(500000);
	sink++;
}

static NOINLINE void by_rss(void)
{
	char *block = malloc(64 << 20);

	memset(block, 1, 64 << 20);
	usleep(500000);
	sink += block[sink];
}

static const struct {
	const char *name;
	void (*die)(void);
} ways[] = {
	{ "fault", by_fault },	   { "abort", by_abort },     { "null", by_null },
	{ "library", by_library }, { "handler", by_handler }, { "overflow", by_overflow },
	{ "memory", by_memory },   { "rss", by_rss },
};

static NOINLINE void fail(const char *how)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(how, ways[i].name))
			ways[i].die();
	sink++;
}

static NOINLINE void step(const char *how, int nr)
{
	if (nr > 1)
		step(how, nr - 1);
	else
		fail(how);
	sink++;
}

static NOINLINE void run(const char *how)
{
	step(how, STEPS);
	sink++;
}

static NOINLINE void *begin(void *how)
{
	run(how);
	sink++;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "fault", *where = argc > 2 ? argv[2] : "";
	pthread_t thread;
	int status = 0;

	if (!strcmp(where, "thread")) {
		pthread_create(&thread, NULL, begin, argv[1]);
		pthread_join(thread, NULL);
	} else if (!strcmp(where, "fork")) {
		if (fork() == 0)
			run(how);
		wait(&status);
		return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	} else {
		run(how);
	}
	sink++;
	return 0;
}
