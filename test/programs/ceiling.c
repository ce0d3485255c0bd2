/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that exceeds a limit at a known place. Its second thread waits in thread_main > hold. The first
 * thread: "heap": in main > rise > grow, allocates 64 blocks of 128 KiB, frees them, and does all that once
 * more: the 32nd block reaches 4 MiB. "children": two children do that, too. "rss": touches 64 MiB of a
 * mapping in main > touch and stays there until its input ends.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SITE __attribute__((noinline)) static
#define BLOCKS 64

static void *volatile blocks[BLOCKS];
static pthread_barrier_t begin, end;

SITE void hold(void)
{
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
}

static void *thread_main(void *unused)
{
	hold();
	return unused;
}

SITE void grow(void)
{
	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = malloc(128 << 10);
}

SITE void rise(void)
{
	for (int round = 0; round < 2; round++) {
		grow();
		for (int i = 0; i < BLOCKS; i++)
			free(blocks[i]);
	}
}

SITE void touch(void)
{
	char *place = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (place != MAP_FAILED)
		memset(place, 1, 64 << 20);
	while (getchar() != EOF)
		;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread;

	for (int i = 0; i < 2 && strcmp(what, "children") == 0; i++) {
		if (fork() == 0) {
			rise();
			return 0;
		}
	}
	while (wait(NULL) > 0)
		;
	pthread_barrier_init(&begin, NULL, 2);
	pthread_barrier_init(&end, NULL, 2);
	pthread_create(&thread, NULL, thread_main, NULL);
	pthread_barrier_wait(&begin);
	if (strcmp(what, "rss") == 0)
		touch();
	else
		rise();
	pthread_barrier_wait(&end);
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}
