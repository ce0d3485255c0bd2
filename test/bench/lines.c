/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lines events N: ns of CPU time for each line of a loop of N rounds, in a function out() and in another in(): the
 * least of 7. lines pages: us for each page of 64 MiB that it touches first, the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define TURNS	7
#define LINES	10	/* line events of a round: the loop's step and condition too */
#define BYTES	(64ul << 20)

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static __attribute__((noinline)) void out(uint64_t nr)
{
	volatile uint64_t sum = 0;

	for (uint64_t i = 0; i < nr; i++) {
		sum += 1;
		sum += 2;
		sum += 3;
		sum += 4;
		sum += 5;
		sum += 6;
		sum += 7;
		sum += 8;
	}
}

static __attribute__((noinline)) void in(uint64_t nr)
{
	volatile uint64_t sum = 0;

	for (uint64_t i = 0; i < nr; i++) {
		sum += 1;
		sum += 2;
		sum += 3;
		sum += 4;
		sum += 5;
		sum += 6;
		sum += 7;
		sum += 8;
	}
}

static double least(void (*run)(uint64_t nr), uint64_t nr)
{
	double least = 1e18;

	for (int turn = 0; turn < TURNS; turn++) {
		double begin = now_ns(), took;

		run(nr);
		took = now_ns() - begin;
		least = took < least ? took : least;
	}
	return least;
}

static void touch(uint64_t bytes)
{
	char *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(block, bytes, MADV_NOHUGEPAGE);
	for (uint64_t at = 0; at < bytes; at += 4096)
		block[at] = 1;
	munmap(block, bytes);
}

int main(int argc, char **argv)
{
	const uint64_t nr = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;

	if (argc > 1 && !strcmp(argv[1], "pages"))
		printf("%.4f\n", least(touch, BYTES) / (double)(BYTES / 4096) / 1e3);
	else
		printf("%.3f %.3f\n", least(out, nr) / (double)(nr * LINES), least(in, nr) / (double)(nr * LINES));
	return 0;
}
