/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * 200 threads with the smallest stack that there is, half of them one that the program gives. Each goes 20
 * calls deep. The report must show down() 4000 times, body() 200 times, and nothing that had to be repaired.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile long sink;

__attribute__((noinline)) static void down(int depth)
{
	if (depth > 1)
		down(depth - 1);
	sink++;
}

static void *body(void *argument)
{
	down(20);
	return argument;
}

int main(void)
{
	size_t bytes = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 200; i++) {
		pthread_attr_t attributes;
		pthread_t thread;

		pthread_attr_init(&attributes);
		if (i % 2 ? pthread_attr_setstack(&attributes, stack, bytes)
			  : pthread_attr_setstacksize(&attributes, bytes))
			return 1;
		if (pthread_create(&thread, &attributes, body, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	puts("done");
	return 0;
}
