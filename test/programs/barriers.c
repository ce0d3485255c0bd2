/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenMP on two threads, the first of which sleeps 250 ms before a barrier, at the end of a loop whose parts
 * are taken in turn, within a critical section, and while it holds a lock; and the second one before a
 * region's end. Built with OpenMP the report must name the other one's wait for each: "omp barrier", "omp
 * for", "omp critical", "omp lock" and, in last(), "omp parallel", each 20 ms at least. Critical sections and
 * locks that are free, in pass(), are no waits. At the end the second one is idle.
 */
#define _GNU_SOURCE
#include <omp.h>
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

APART static void hold(void)
{
	static omp_nest_lock_t nested;
	static omp_lock_t lock;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nested);
#pragma omp parallel num_threads(2)
	{
		omp_set_lock(&lock);
		pause_ms(250);
		omp_unset_lock(&lock);
#pragma omp barrier
		omp_set_nest_lock(&nested);
		omp_set_nest_lock(&nested);
		pause_ms(250);
		omp_unset_nest_lock(&nested);
		omp_unset_nest_lock(&nested);
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nested);
}

APART static void pass(void)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
	for (int i = 0; i < 1000; i++) {
#pragma omp critical
		sum += 1;
#pragma omp critical(turn)
		sum += 1;
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
}

/* As many variables as no register holds. */
APART static int last(void)
{
	int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, all = 0;

#pragma omp parallel num_threads(2) shared(a, b, c, d, e, f, g, h, i, all)
	{
		if (syscall(SYS_gettid) != getpid())
			pause_ms(250);
		__atomic_fetch_add(&all, a + b + c + d + e + f + g + h + i, __ATOMIC_RELAXED);
	}
	return all;
}

int main(void)
{
	meet();
	loop();
	take();
	hold();
	pass();
	if (last() != 90)
		return 1;
	pause_ms(100);	/* the other thread has nothing to do */
	return 0;
}
