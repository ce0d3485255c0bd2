/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Short calls on a processor that another process takes every half a ms: leaf 4,000,000, work 1, main 1, and 1 of the
 * child that it forks. Prints the CPU time in ns that work took, and the time by the clock. With adaptive timing the total of leaf is near
 * that CPU time: what single calls of it waited is not multiplied.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_TIMED __attribute__((no_instrument_function))

static volatile uint64_t sum = 1;

NOT_TIMED static uint64_t time_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

NOT_TIMED static void stay_here(void)
{
	cpu_set_t here;
	int cpu = sched_getcpu();

	CPU_ZERO(&here);
	CPU_SET((size_t)(cpu < 0 ? 0 : cpu), &here);
	sched_setaffinity(0, sizeof(here), &here);
}

NOT_TIMED static void take_the_processor(void)
{
	const struct timespec rest = { .tv_nsec = 200000 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		uint64_t end = time_ns(CLOCK_MONOTONIC) + 300000;

		while (time_ns(CLOCK_MONOTONIC) < end)
			;
		nanosleep(&rest, NULL);
	}
}

__attribute__((noinline)) static void leaf(void)
{
	for (int i = 0; i < 40; i++)
		sum = sum * 6364136223846793005u + 1;
}

__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 4000000; i++)
		leaf();
}

int main(void)
{
	uint64_t cpu_ns, ns;
	pid_t other;

	stay_here();
	other = fork();
	if (other == 0)
		take_the_processor();
	cpu_ns = time_ns(CLOCK_THREAD_CPUTIME_ID), ns = time_ns(CLOCK_MONOTONIC);
	work();
	cpu_ns = time_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns, ns = time_ns(CLOCK_MONOTONIC) - ns;
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	printf("%llu %llu\n", (unsigned long long)cpu_ns, (unsigned long long)ns);
	return 0;
}
