/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parallel regions of OpenMP. The report must show calls of other threads below the path that began the
 * region. first() and second() call shared(), in whose region work() is called 4 times. inner() is called 4
 * times in a nested region. again() calls itself in a region of 2 threads, 3 deep: of its 15 calls 7 are
 * below one of another thread. Tasks call piece() 8 times, anywhere. The argument is the number of threads.
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#else
static void omp_set_max_active_levels(int levels)
{
	(void)levels;
}
#endif

#define NOINLINE __attribute__((noinline))

static int threads = 4;

NOINLINE static void work(void)
{
	for (volatile int i = 0; i < 3000000; i++)
		;
}

NOINLINE static void shared(void)
{
#pragma omp parallel num_threads(threads)
	work();
}

NOINLINE static void first(void)
{
	shared();
}

NOINLINE static void second(void)
{
	shared();
}

NOINLINE static void inner(void)
{
	work();
}

NOINLINE static void nested(void)
{
#pragma omp parallel num_threads(threads / 2 ? 2 : 1)
	{
#pragma omp parallel num_threads(threads / 2 ? 2 : 1)
		inner();
	}
}

NOINLINE static void again(int depth)
{
	work();
	if (!depth)
		return;
#pragma omp parallel num_threads(threads / 2 ? 2 : 1)
	again(depth - 1);
}

NOINLINE static void loop(void)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
	for (int i = 0; i < 8; i++)
		work();
}

NOINLINE static void piece(void)
{
	work();
}

NOINLINE static void tasks(void)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
	for (int i = 0; i < 8; i++) {
#pragma omp task
		piece();
	}
}

int main(int argc, char **argv)
{
	threads = argc > 1 ? atoi(argv[1]) : threads;
	omp_set_max_active_levels(4);
	first();
	second();
	nested();
	again(3);
	loop();
	tasks();
	puts("done");
	return 0;
}
