/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recorder does while blocks come to live and go: growth BLOCKS BYTES. Pairs of malloc and free, each of which leaves
 * one block more, until that many live; then most are freed. Prints the longest pair or free and p99.99 in ns, of those
 * during which no other task took the processor; the most bytes of anonymous memory that is not malloc's, for each live
 * block, at some 600 points with 300,000 blocks or more; ns of a fork() with all of them, the least of 9; ns of CPU
 * time for each block that came and went; how many pairs or frees took above 0.3 ms; and ns of each of the first 1000
 * frees of a forked child.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_TIMED	__attribute__((no_instrument_function))
#define FIRST_POINT	300000
#define STEP_NS		20
#define NR_STEPS	5000		/* durations up to 100 us */
#define LONG_NS		20000		/* of such pairs it is asked whether the task waited */
#define NR_FORKS	9
#define PAUSE_NS	300000
#define CHILDS_FREES	1000

static uint64_t counts[NR_STEPS + 1];
static uint64_t longest_ns, nr_pauses;
static uint64_t cpu_ns;
static double first_bytes, most_bytes;
static void *volatile kept;

NOT_TIMED static uint64_t ns_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
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

static void fall(size_t bytes)
{
	void **block = kept;

	kept = *block;
	free(block);
}

NOT_TIMED static void time_each(void (*step)(size_t bytes), long nr, size_t bytes)
{
	long changes = changes_of_tasks(), before;
	uint64_t begin = ns_of(CLOCK_THREAD_CPUTIME_ID), last = ns_of(CLOCK_MONOTONIC), now, ns;

	for (long i = 0; i < nr; i++) {
		step(bytes);
		now = ns_of(CLOCK_MONOTONIC);
		ns = now - last;
		last = now;
		if (ns >= LONG_NS) {
			before = changes;
			changes = changes_of_tasks();
			last = ns_of(CLOCK_MONOTONIC);
			if (changes != before)
				continue;
		}
		counts[ns / STEP_NS < NR_STEPS ? ns / STEP_NS : NR_STEPS]++;
		longest_ns = ns > longest_ns ? ns : longest_ns;
		nr_pauses += ns >= PAUSE_NS;
	}
	cpu_ns += ns_of(CLOCK_THREAD_CPUTIME_ID) - begin;
}

NOT_TIMED static void note_memory(long live)
{
	double bytes = (bytes_beside_malloc() - first_bytes) / (double)live;

	most_bytes = bytes > most_bytes ? bytes : most_bytes;
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
		uint64_t begin = ns_of(CLOCK_MONOTONIC), ns;

		if (fork() == 0)
			_exit(0);
		ns = ns_of(CLOCK_MONOTONIC) - begin;
		least = ns < least ? ns : least;
		wait(NULL);
	}
	return least;
}

/* By its own clock, in memory that the parent reads. */
NOT_TIMED static uint64_t childs_free_ns(size_t bytes)
{
	uint64_t *ns = mmap(NULL, sizeof(*ns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (ns == MAP_FAILED)
		exit(1);
	if (fork() == 0) {
		uint64_t begin = ns_of(CLOCK_THREAD_CPUTIME_ID);

		for (int i = 0; i < CHILDS_FREES; i++)
			fall(bytes);
		*ns = (ns_of(CLOCK_THREAD_CPUTIME_ID) - begin) / CHILDS_FREES;
		_exit(0);
	}
	wait(NULL);
	return *ns;
}

NOT_TIMED int main(int argc, char **argv)
{
	long wanted = argc > 2 ? atol(argv[1]) : 0, live = 0;
	size_t bytes = argc > 2 ? (size_t)atol(argv[2]) : 0;
	uint64_t fork_ns, free_ns;

	first_bytes = bytes_beside_malloc();

	if (wanted < FIRST_POINT || bytes < sizeof(void *))
		return 2;
	while (live < wanted) {
		long more = live < FIRST_POINT ? FIRST_POINT : live / 100;

		if (more > wanted - live)
			more = wanted - live;
		time_each(grow, more, bytes);
		live += more;
		note_memory(live);
	}
	fork_ns = least_fork_ns();
	free_ns = childs_free_ns(bytes);
	while (live > FIRST_POINT) {
		long fewer = live / 100 < live - FIRST_POINT ? live / 100 : live - FIRST_POINT;

		time_each(fall, fewer, bytes);
		live -= fewer;
		note_memory(live);
	}
	printf("%lu %lu %.1f %lu %lu %lu %lu\n", longest_ns, most_but((uint64_t)wanted / 5000), most_bytes, fork_ns,
	       cpu_ns / (uint64_t)wanted, nr_pauses, free_ns);
	return 0;
}
