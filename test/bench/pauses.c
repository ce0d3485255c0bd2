/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recorder does to the longest calls: pauses SECONDS [paths]. Calls of 1 us one after the other; with paths, each
 * on a new call path until there are a million. Prints ns: median, p99.99 and longest. The time that other programs or the
 * host of a guest had the processor is left out, by CPU time: it is nobody's fault. What the thread slept is not, nor is
 * what another task of this process, the recorder's, took on the thread's processor.
 *
 * Not every host tells its guest what it takes, and then that is CPU time. So of the longest call those gaps are left out,
 * too, that are between its own looks at the clock, where no hook runs. Not of p99.99: interrupts are such gaps, and would
 * count only where a hook runs, with a recorder more often.
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
#define CALLS_A_LOOK 100
#define GAP_NS 5000

#define DEFINE(n) static void work_##n(int depth) { work(depth); }
#define NAME(n) work_##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X) TEN(X, 0) TEN(X, 1) TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9)

static void (*const works[100])(int depth);
static unsigned long path;		/* two decimal digits choose a callee */
static uint64_t gaps_ns;		/* of a call: between its own looks at the clock, where no hook runs */

NOT_TIMED static uint64_t time_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

NOT_TIMED static uint64_t now_ns(void)
{
	return time_ns(CLOCK_MONOTONIC);
}

NOT_TIMED static void work(int depth)
{
	unsigned long rest = path;
	uint64_t begin, last, now;

	if (depth) {
		for (int i = 1; i < depth; i++)
			rest /= 100;
		works[rest % 100](depth - 1);
		return;
	}
	begin = last = now_ns();
	do {
		now = now_ns();
		if (now - last >= GAP_NS)
			gaps_ns += now - last;
		last = now;
	} while (now - begin < 1000);
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

/*
 * Since the last look, which is never long ago: what the recorder's task took meanwhile counts as the pause's if the
 * thread lost its processor, though it may have come before or on another one.
 */
static struct look {
	uint64_t ns;
	uint64_t thread_ns, process_ns;	/* CPU time */
	long nr_sleeps, nr_losses;	/* of the processor, by its will and against it */
} looked;

/* Of the time since the last look, what others had. */
struct others {
	uint64_t told_ns;	/* by CPU time */
	uint64_t seen_ns;	/* and by gaps */
};

NOT_TIMED static uint64_t less(uint64_t ns, uint64_t part_ns)
{
	return ns > part_ns ? ns - part_ns : 0;
}

NOT_TIMED static struct others look(void)
{
	struct look before = looked;
	uint64_t away_ns, tasks_ns, thread_ns, gone_ns = gaps_ns;
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	looked = (struct look){ now_ns(), time_ns(CLOCK_THREAD_CPUTIME_ID), time_ns(CLOCK_PROCESS_CPUTIME_ID),
				usage.ru_nvcsw, usage.ru_nivcsw };
	gaps_ns = 0;
	thread_ns = looked.thread_ns - before.thread_ns;
	away_ns = less(looked.ns - before.ns, thread_ns);	/* the clocks are read one after the other */
	tasks_ns = less(looked.process_ns - before.process_ns, thread_ns);
	if (looked.nr_losses == before.nr_losses)
		tasks_ns = 0;
	if (looked.nr_sleeps != before.nr_sleeps)
		away_ns = 0;
	return (struct others){ less(away_ns, tasks_ns), less(away_ns > gone_ns ? away_ns : gone_ns, tasks_ns) };
}

NOT_TIMED int main(int argc, char **argv)
{
	int depth = argc > 2 && strcmp(argv[2], "paths") == 0 ? 4 : 1;
	uint64_t last, longest = 0, nr = 0, end;

	look();
	last = now_ns();
	end = last + (uint64_t)(argc > 1 ? atof(argv[1]) * 1e9 : 0);
	while (last < end) {
		struct others others = { 0, 0 };
		uint64_t now, ns;

		works[0](depth - 1);
		path = (path + 1) % 1000000;
		now = now_ns();
		ns = now - last;
		last = now;
		if (ns >= GAP_NS || nr % CALLS_A_LOOK == 0) {
			others = look();
			last = now_ns();
		}
		nr++;
		if (less(ns, others.seen_ns) > longest)
			longest = less(ns, others.seen_ns);
		ns = less(ns, others.told_ns);
		counts[ns < LONG_NS ? ns / STEP_NS : NR_STEPS]++;
	}
	printf("%lu %lu %lu\n", percentile(0.5, nr), percentile(0.9999, nr), longest);
	return 0;
}
