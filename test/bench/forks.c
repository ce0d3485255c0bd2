/* SPDX-License-Identifier: GPL-3.0-or-later */
/* forks N: forks N children, one after the other, each of which ends at once; prints the median ns from fork to wait. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((no_instrument_function)) static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	size_t times = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t *ns = calloc(times + 1, sizeof(*ns));

	if (!times || !ns)
		return 2;
	for (size_t i = 0; i < times; i++) {
		uint64_t start = now_ns();
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
		ns[i] = now_ns() - start;
	}
	qsort(ns, times, sizeof(*ns), compare);
	printf("%lu\n", ns[times / 2]);
	return 0;
}
