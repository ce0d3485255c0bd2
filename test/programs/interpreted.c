/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interpreted: interpret() takes room for variables by alloca(), as interpreters do, and becomes counted while
 * its outermost call is open. That call makes five calls of native(), 20 ms of CPU time each. The outermost
 * call keeps its time: evaluate(), which makes it, has no time of its own.
 *
 * interpreted threads: in three threads at once, two of which did not see interpret() become counted.
 */
#include <alloca.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define PROGRAM	100	/* a number that stands for the whole program */
#define NOINLINE __attribute__((noinline))

static volatile long sink;

NOINLINE static void native(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		for (int i = 0; i < 10000; i++)
			sink++;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 20000000);
}

NOINLINE static long interpret(long code)
{
	volatile char *variables = alloca(1000 + (size_t)code);
	long sum = 0;

	variables[0] = (char)code;
	if (code < PROGRAM)
		return code < 2 ? variables[0] : interpret(code - 1) + interpret(code - 2);
	for (int i = 0; i < 5; i++) {
		sum += interpret(22);
		native();
	}
	return sum + variables[0];
}

NOINLINE static void *evaluate(void *unused)
{
	sink += interpret(PROGRAM);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int nr = argc > 1 && strcmp(argv[1], "threads") == 0 ? 2 : 0;

	for (int i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, evaluate, NULL);
	evaluate(NULL);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
