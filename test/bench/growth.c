/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recorder does while blocks come to live: growth BLOCKS BYTES. Pairs of malloc and free, each of which leaves one
 * block more, until that many live. Prints the longest pair and p99.99 in ns, of pairs during which no other task took the
 * processor; the most bytes of anonymous memory that is not malloc's, for each live block, at some 300 points from 200,000
 * blocks on; and ns of a fork() then, the least of 9.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_TIMED	__attribute__((no_instrument_function))
#define FIRST_POINT	200000
#define STEP_NS		20
#define NR_STEPS	5000		/* durations up to 100 us */
#define LONG_NS		20000		/* of such pairs it is asked whether the task waited */
#define NR_FORKS	9

static uint64_t counts[NR_STEPS + 1];
static uint64_t longest_ns;
static void *volatile kept;

NOT_TIMED static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

NOT_TIMED static long changes_of_tasks(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/* Pages in memory that no file stands behind, in bytes, less what malloc took from the system. */
NOT_TIMED static double bytes_beside_malloc(void)
{
	struct mallinfo2 info = mallinfo2();
	int fd = open("/proc/self/statm", O_RDONLY);
	char text[128] = "";
	long size, resident, shared;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || sscanf(text, "%ld %ld %ld", &size, &resident, &shared) != 3)
		exit(1);
	close(fd);
	return (double)(resident - shared) * 4096 - (double)(info.arena + info.hblkhd);
}

static void grow(size_t bytes)
{
	void **block = malloc(bytes), *other = malloc(bytes);

	*block = kept;
	kept = block;
	free(other);
}

NOT_TIMED static void time_pairs(long nr, size_t bytes)
{
	long changes = changes_of_tasks(), before;
	uint64_t last = now_ns(), now, ns;

	for (long i = 0; i < nr; i++) {
		grow(bytes);
		now = now_ns();
		ns = now - last;
		last = now;
		if (ns >= LONG_NS) {
			before = changes;
			changes = changes_of_tasks();
			last = now_ns();
			if (changes != before)
				continue;
		}
		counts[ns / STEP_NS < NR_STEPS ? ns / STEP_NS : NR_STEPS]++;
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
}

NOT_TIMED static uint64_t most_but(uint64_t nr_above)
{
	uint64_t i = NR_STEPS;

	for (uint64_t above = 0; i > 0 && above + counts[i] <= nr_above; i--)
		above += counts[i];
	return i * STEP_NS;
}

NOT_TIMED static uint64_t least_fork_ns(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < NR_FORKS; i++) {
		uint64_t begin = now_ns(), ns;

		if (fork() == 0)
			_exit(0);
		ns = now_ns() - begin;
		least = ns < least ? ns : least;
		wait(NULL);
	}
	return least;
}

NOT_TIMED int main(int argc, char **argv)
{
	long wanted = argc > 2 ? atol(argv[1]) : 0, live = 0;
	size_t bytes = argc > 2 ? (size_t)atol(argv[2]) : 0;
	double most = 0, first = bytes_beside_malloc();

	if (wanted < FIRST_POINT || bytes < sizeof(void *))
		return 2;
	while (live < wanted) {
		long more = live < FIRST_POINT ? FIRST_POINT : live / 100;
		double each;

		if (more > wanted - live)
			more = wanted - live;
		time_pairs(more, bytes);
		live += more;
		each = (bytes_beside_malloc() - first) / (double)live;
		most = each > most ? each : most;
	}
	printf("%lu %lu %.1f %lu\n", longest_ns, most_but((uint64_t)wanted / 10000), most, least_fork_ns());
	return 0;
}
