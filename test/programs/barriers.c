/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenMP on two threads, the first of which sleeps 250 ms before a barrier, at the end of a loop whose parts are taken in turn,
 * and within a critical section. Built with OpenMP the report must name the other one's wait for each: "omp barrier", "omp for"
 * and "omp critical", each 20 ms at least.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static volatile int sum;

APART static void pause_ms(long ms)
{
	syscall(SYS_nanosleep, &(struct timespec){ 0, ms * 1000000 }, NULL);
}

APART static void meet(void)
{
	int first = 1;

#pragma omp parallel num_threads(2) shared(first)
	{
		int mine = __atomic_exchange_n(&first, 0, __ATOMIC_RELAXED);

		if (mine)
			pause_ms(250);
#pragma omp barrier
		sum += 1;
	}
}

APART static void loop(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(dynamic, 1)
		for (int i = 0; i < 2; i++)
			if (i == 0)
				pause_ms(250);
		sum += 1;
	}
}

APART static void take(void)
{
#pragma omp parallel num_threads(2)
#pragma omp critical(turn)
	pause_ms(250);
}

int main(void)
{
	meet();
	loop();
	take();
	return 0;
}
