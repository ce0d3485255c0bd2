/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * short_calls: for INSIDEME_TIMING=auto. Whatever is timed, the report must show spin() 200,000 times,
 * around() 100,000, rarely() 100,000 and in it wait_long() 100 times, fib() 242,785 times, main() once. A
 * call of spin() lasts 500 ns of the thread's own time at least, one of wait_long() 100 us; prints the ns
 * that the program itself measured in all calls of spin() and in all of around(), which calls it and spins as
 * long itself; then both with each call's time cut at 3 us, what is not of interruptions.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define NOT_TIMED __attribute__((no_instrument_function, noinline))

static uint64_t spin_ns, around_ns, spin_cut_ns, around_cut_ns;
static volatile int sink;

NOT_TIMED static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

NOT_TIMED static uint64_t wait_ns(uint64_t ns)
{
	uint64_t start = now_ns(), now = start;

	while (now - start < ns)
		now = now_ns();
	return now - start;
}

NOT_TIMED static void add(uint64_t ns, uint64_t *sum, uint64_t *cut_sum)
{
	*sum += ns;
	*cut_sum += ns < 3000 ? ns : 3000;
}

__attribute__((noinline)) static void spin(void)
{
	add(wait_ns(500), &spin_ns, &spin_cut_ns);
}

__attribute__((noinline)) static void around(void)
{
	uint64_t start = now_ns();

	wait_ns(500);
	spin();
	add(now_ns() - start, &around_ns, &around_cut_ns);
}

__attribute__((noinline)) static void wait_long(void)
{
	wait_ns(100000);
}

__attribute__((noinline)) static void rarely(int i)
{
	if (i % 1000 == 999)
		wait_long();
	sink++;
}

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void)
{
	for (int i = 0; i < 100000; i++) {
		spin();
		around();
		rarely(i);
	}
	sink += fib(25);
	printf("%lu %lu %lu %lu\n", (unsigned long)spin_ns, (unsigned long)around_ns,
	       (unsigned long)spin_cut_ns, (unsigned long)around_cut_ns);
	return 0;
}
