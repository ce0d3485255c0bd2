/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * merged: the ends of slow() and fast() are alike, so compilers make one of them, with one call of the exit
 * hook for both. The report must show 300 timed calls of slow(), and that all calls returned.
 */
#include <time.h>

static volatile int nr_calls;

static inline __attribute__((always_inline)) void slow(void)
{
	struct timespec short_time = { 0, 20000 };

	nanosleep(&short_time, NULL);
	nr_calls++;
}

static inline __attribute__((always_inline)) void fast(void)
{
	nr_calls++;
}

__attribute__((noinline)) static void mixed(int is_slow)
{
	if (is_slow)
		slow();
	else
		fast();
}

int main(void)
{
	for (int i = 0; i < 900000; i++)
		mixed(i % 3000 == 0);
	return nr_calls != 900000;
}
