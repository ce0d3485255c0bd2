/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lines ratio [TENTHS]: four loops of one inlined function take 1:2:3:4 parts of 2 s of CPU time, or of
 * TENTHS / 10. lines recursion: recurse() calls itself ten times before it works; main's time is in one line
 * each of both. lines calls: both lines that call work() have their share of its time, 1:3. lines blocks: one
 * line keeps 20,000 blocks of 200 bytes, another 10,000 of 1,000, a third frees as many at once. All parts
 * are far shorter than the time between two samples, and no fraction of it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned long sink;

/* It takes the same time wherever it is: each step waits for the one before. */
#define STEP (value = (value ^ value >> 29) * 6364136223846793005ul)

static inline __attribute__((always_inline)) void parts(unsigned long n)
{
	unsigned long value = sink;

	for (unsigned long i = 0; i < n; i++) STEP; /* 1 */
	for (unsigned long i = 0; i < 2 * n; i++) STEP; /* 2 */
	for (unsigned long i = 0; i < 3 * n; i++) STEP; /* 3 */
	for (unsigned long i = 0; i < 4 * n; i++) STEP; /* 4 */
	sink = value;
}

__attribute__((noinline)) static void work(unsigned long n)
{
	unsigned long value = sink;

	for (unsigned long i = 0; i < n; i++)
		STEP;
	sink = value;
}

__attribute__((noinline)) static void recurse(int depth)
{
	if (depth)
		recurse(depth - 1); /* deeper */
	else
		work(90001);
	sink++;
}

__attribute__((noinline)) static void calls(void)
{
	work(9001); /* once */
	work(3 * 9001); /* three times */
	sink++;
}

static void *volatile kept;

__attribute__((noinline)) static void blocks(void)
{
	for (int i = 0; i < 20000; i++) kept = malloc(200); /* small */
	for (int i = 0; i < 10000; i++) kept = malloc(1000); /* large */
	for (int i = 0; i < 10000; i++) free(kept = malloc(1000)); /* freed */
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	const clock_t tenths = argc > 2 ? atoi(argv[2]) : 20;

	if (strcmp(kind, "blocks") == 0) {
		blocks();
		return 0;
	}
	while (clock() < tenths * CLOCKS_PER_SEC / 10) {
		if (strcmp(kind, "ratio") == 0)
			parts(9973); /* inlined */
		else if (strcmp(kind, "recursion") == 0)
			recurse(10); /* outermost */
		else
			calls();
	}
	return 0;
}
