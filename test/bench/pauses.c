/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recorder does to the longest calls: pauses SECONDS [paths]. Calls of 1 us one after the other; with paths, each
 * on a new call path until there are a million. Prints ns: median, p99.99 and longest, of calls during which no other
 * task took the processor: what else the machine does is nobody's fault.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define NOT_TIMED __attribute__((no_instrument_function))
#define STEP_NS 20
#define NR_STEPS 5000		/* durations up to 100 us */
#define LONG_NS (STEP_NS * NR_STEPS)

#define DEFINE(n) static void work_##n(int depth) { work(depth); }
#define NAME(n) work_##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X) TEN(X, 0) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9)

static void (*const works[100])(int depth);
static unsigned long path;		/* two decimal digits choose a callee */

NOT_TIMED static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

NOT_TIMED static void work(int depth)
{
	unsigned long rest = path;
	uint64_t end;

	if (depth) {
		for (int i = 1; i < depth; i++)
			rest /= 100;
		works[rest % 100](depth - 1);
		return;
	}
	end = now_ns() + 1000;
	while (now_ns() < end)
		;
}

HUNDRED(DEFINE)
static void (*const works[100])(int depth) = { HUNDRED(NAME) };

static uint64_t counts[NR_STEPS + 1];

NOT_TIMED static uint64_t percentile(double share, uint64_t nr)
{
	uint64_t seen = 0, wanted = (uint64_t)(share * (double)nr);

	for (uint64_t i = 0; i < NR_STEPS; i++) {
		seen += counts[i];
		if (seen > wanted)
			return i * STEP_NS;
	}
	return LONG_NS;
}

NOT_TIMED static long changes_of_tasks(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

NOT_TIMED int main(int argc, char **argv)
{
	int depth = argc > 2 && strcmp(argv[2], "paths") == 0 ? 4 : 1;
	uint64_t last = now_ns(), longest = 0, nr = 0;
	uint64_t end = last + (uint64_t)(argc > 1 ? atof(argv[1]) * 1e9 : 0);
	long changes = changes_of_tasks();

	while (last < end) {
		uint64_t now, ns;

		works[0](depth - 1);
		path = (path + 1) % 1000000;
		now = now_ns();
		ns = now - last;
		last = now;
		if (ns >= LONG_NS / 20) {
			long before = changes;

			changes = changes_of_tasks();
			last = now_ns();
			if (changes != before)
				continue;
		}
		nr++;
		counts[ns < LONG_NS ? ns / STEP_NS : NR_STEPS]++;
		longest = ns > longest ? ns : longest;
	}
	printf("%lu %lu %lu\n", percentile(0.5, nr), percentile(0.9999, nr), longest);
	return 0;
}
