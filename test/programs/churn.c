/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four threads that call, recurse and allocate without end, to be killed at any moment: churn COUNTS. In the
 * file COUNTS, mapped shared, with a line for each thread and function, it counts each call just before and
 * just after it: two words, begun and ended. "churn -p COUNTS" prints "THREAD FUNCTION BEGUN ENDED". The
 * report of what is left finds no damage. For each function it shows, including open calls, sum(begun) calls
 * and sum(begun - ended) open ones; each thread may add or miss the one call that was just beginning or
 * ending.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_THREADS 4
enum function { WORK, DESCEND, ALLOCATE, LEAF, NR_FUNCTIONS };
static const char *const names[NR_FUNCTIONS] = { "work", "descend", "allocate", "leaf" };

struct count {
	volatile unsigned long begun, ended;
};
struct thread_counts {
	struct count of[NR_FUNCTIONS];
};
static struct thread_counts *counts;
static __thread struct thread_counts *mine;

#define COUNTED(function, call) ({			\
	mine->of[function].begun++;			\
	__typeof__(call) result = call;			\
	mine->of[function].ended++;			\
	result; })

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
		sum += COUNTED(LEAF, leaf(i));
	free(block);
	return sum;
}

__attribute__((noinline)) static int descend(int depth)
{
	int sum;

	if (!depth)
		return 0;
	sum = COUNTED(DESCEND, descend(depth - 1));
	return sum + COUNTED(ALLOCATE, allocate(depth));
}

__attribute__((noinline)) static int work(unsigned int *state)
{
	return COUNTED(DESCEND, descend(rand_r(state) % 400));
}

static void *thread(void *number)
{
	unsigned int state = (unsigned int)(size_t)number;

	mine = &counts[state];
	for (;;)
		COUNTED(WORK, work(&state));
	return NULL;
}

static int print(void)
{
	for (int i = 0; i < NR_THREADS; i++)
		for (int k = 0; k < NR_FUNCTIONS; k++)
			printf("%d %s %lu %lu\n", i, names[k], counts[i].of[k].begun, counts[i].of[k].ended);
	return 0;
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	pthread_t id;

	if (argc < 2 || fd < 0 || ftruncate(fd, NR_THREADS * sizeof(*counts)))
		return 1;
	counts = mmap(NULL, NR_THREADS * sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		return 1;
	if (!strcmp(argv[1], "-p"))
		return print();
	for (size_t i = 1; i < NR_THREADS; i++)
		pthread_create(&id, NULL, thread, (void *)i);
	thread(NULL);
	return 0;
}
