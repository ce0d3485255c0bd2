/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three parallel regions of OpenMP on 4 threads, the last nested. The report must show work() 3000 times and,
 * built with OpenMP, 4 threads in the first two regions; sums are right.
 */
#include <stdio.h>

__attribute__((noinline)) static long work(long i)
{
	return i % 7;
}

int main(void)
{
	long sum = 0;

#pragma omp parallel for num_threads(4) reduction(+ : sum)
	for (long i = 0; i < 1000; i++)
		sum += work(i);
#pragma omp parallel for num_threads(4) schedule(dynamic, 1) reduction(+ : sum)
	for (long i = 0; i < 1000; i++)
		sum += work(i);
#pragma omp parallel for num_threads(2) reduction(+ : sum)
	for (long i = 0; i < 10; i++) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
		for (long k = 0; k < 100; k++)
			sum += work(i * 100 + k);
	}
	printf("sum %ld\n", sum);
	return 0;
}
