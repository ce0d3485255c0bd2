/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crossing: 64 functions that begin at each place within a line of the cache, so displacements of hooks'
 * calls cross its end everywhere. crossing THREADS: each calls all of them 20,000 times; prints how many
 * calls of the entry hook are left in their code, and how many there were. The report must show 20,000 calls
 * of each function by each thread.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_RECORDED __attribute__((no_instrument_function, noinline))
#define CODE_BYTES 112 /* of a function up to its entry hook's call, at most */

/* As many nops as its octal number says lie before the hook's call. */
#define PLACE(n) \
	__attribute__((noinline, aligned(128), patchable_function_entry(0##n, 0))) long at_##n(long a) { return a + n; }
#define EIGHT(f, n) f(n##0) f(n##1) f(n##2) f(n##3) f(n##4) f(n##5) f(n##6) f(n##7)
#define ALL(f) EIGHT(f, 0) EIGHT(f, 1) EIGHT(f, 2) EIGHT(f, 3) EIGHT(f, 4) EIGHT(f, 5) EIGHT(f, 6) EIGHT(f, 7)

ALL(PLACE)

#define ADDRESS(n) at_##n,
static long (*const functions[64])(long) = { ALL(ADDRESS) };
static volatile long sink;

/* Calls in the functions' code that lead to where that of the first function led at first. */
NOT_RECORDED static int count_calls(void)
{
	static uintptr_t hook;
	int nr = 0;

	for (int i = 0; i < 64; i++) {
		const uint8_t *code = (const uint8_t *)functions[i];

		for (int at = 0; at < CODE_BYTES; at++) {
			int32_t distance;
			uintptr_t target;

			memcpy(&distance, code + at + 1, sizeof(distance));
			target = (uintptr_t)code + (uintptr_t)at + 5 + (uintptr_t)(intptr_t)distance;
			if (code[at] == 0xe8 && !hook)
				hook = target;
			if (code[at] == 0xe8 && target == hook)
				nr++;
		}
	}
	return nr;
}

NOT_RECORDED static void *run(void *argument)
{
	for (int i = 0; i < 20000; i++)
		for (int k = 0; k < 64; k++)
			sink += functions[k](i);
	return argument;
}

NOT_RECORDED int main(int argc, char **argv)
{
	int nr_threads = argc > 1 ? atoi(argv[1]) : 1, before = count_calls();
	pthread_t threads[16];

	for (int i = 1; i < nr_threads; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	run(NULL);
	for (int i = 1; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", count_calls(), before);
	return 0;
}
