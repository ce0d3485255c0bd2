/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call paths, many: paths tree: 1,111,110 of 10 functions, 6 deep; paths wide: 1,001,000 of 1,000 functions, 2 deep;
 * paths flat: 100,000 functions of one caller, as addresses that no code stands behind. Prints ns per call while they are
 * made, when visited again in the same order, and at random (from the top down, each way by chance): the best of some
 * passes over all, or of many short ones at random, since others may disturb.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOT_TIMED __attribute__((no_instrument_function))
#define CALLS_AT_RANDOM 100000

#define DEFINE(n) static void step_##n(int depth) { descend(depth); }
#define NAME(n) step_##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n) TEN(X, n##0) TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) TEN(X, n##4) \
	TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)
#define THOUSAND(X) HUNDRED(X, 0) HUNDRED(X, 1) HUNDRED(X, 2) HUNDRED(X, 3) HUNDRED(X, 4) \
	HUNDRED(X, 5) HUNDRED(X, 6) HUNDRED(X, 7) HUNDRED(X, 8) HUNDRED(X, 9)

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static unsigned nr_functions;
static int at_random;
static uint64_t calls;
static uint64_t state = 88172645463325252;
static char places[100000][16];		/* in this program, as far as its module tells */
static void (*const steps[1000])(int depth);

NOT_TIMED static unsigned chance(unsigned below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state >> 32) * below >> 32);
}

/* What is still below: all of it in order, or one way. */
NOT_TIMED static void descend(int depth)
{
	if (depth == 0)
		return;
	for (unsigned i = 0; i < nr_functions; i++) {
		calls++;
		steps[at_random ? chance(nr_functions) : i](depth - 1);
		if (at_random)
			return;
	}
}

THOUSAND(DEFINE)
static void (*const steps[1000])(int depth) = { THOUSAND(NAME) };

NOT_TIMED static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

NOT_TIMED static void visit(int depth)
{
	do
		descend(depth);
	while (at_random && calls < CALLS_AT_RANDOM);
}

NOT_TIMED static void visit_flat(void)
{
	for (uintptr_t i = 0; i < 100000; i++) {
		char *function = places[at_random ? chance(100000) : i];

		calls++;
		__cyg_profile_func_enter(function, NULL);
		__cyg_profile_func_exit(function, NULL);
	}
}

NOT_TIMED static double best_of(int times, int depth)
{
	uint64_t best = UINT64_MAX;

	while (times--) {
		uint64_t start = now_ns();

		calls = 0;
		if (depth)
			visit(depth);
		else
			visit_flat();
		start = now_ns() - start;
		best = start < best ? start : best;
	}
	return (double)best / (double)calls;
}

NOT_TIMED int main(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "";
	int depth = strcmp(shape, "tree") == 0 ? 6 : strcmp(shape, "wide") == 0 ? 2 : 0;

	nr_functions = depth == 6 ? 10 : 1000;
	printf("%.1f ", best_of(1, depth));
	printf("%.1f ", best_of(7, depth));
	at_random = 1;
	printf("%.1f\n", best_of(100, depth));
	return 0;
}
