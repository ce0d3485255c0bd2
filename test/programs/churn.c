/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four threads that call, recurse and allocate without end, to be killed at any moment: the report of what is
 * left finds no damage, and each thread's open calls begin with main or work.
 */
#include <pthread.h>
#include <stdlib.h>

__attribute__((noinline)) static int leaf(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noinline)) static int allocate(int n)
{
	char *block = malloc((size_t)n % 300 + 1);
	int sum = 0;

	__asm__ volatile("" : : "r"(block) : "memory");
	for (int i = 0; i < n % 7; i++)
		sum += leaf(i);
	free(block);
	return sum;
}

__attribute__((noinline)) static int descend(int depth)
{
	return depth ? descend(depth - 1) + allocate(depth) : 0;
}

static void *work(void *seed)
{
	unsigned int state = (unsigned int)(size_t)seed;

	for (;;)
		descend(rand_r(&state) % 400);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (size_t i = 1; i < 4; i++)
		pthread_create(&thread, NULL, work, (void *)i);
	work(NULL);
	return 0;
}
