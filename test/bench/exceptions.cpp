/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an exception takes through two calls to its catch, in ns of CPU time: the first 100, and later ones at the least. */
#include <cstdio>
#include <ctime>
#include <stdexcept>

static long now()
{
	timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

__attribute__((noinline)) static void thrower()
{
	throw std::runtime_error("a message");
}

__attribute__((noinline)) static void passing()
{
	thrower();
}

__attribute__((noinline)) static void catching()
{
	try {
		passing();
	} catch (const std::exception &) {
	}
}

static long measure()
{
	long start = now();

	for (int i = 0; i < 100; i++)
		catching();
	return (now() - start) / 100;
}

int main()
{
	long first = measure(), least = measure();

	for (int i = 0; i < 400; i++) {
		long taken = measure();

		if (taken < least)
			least = taken;
	}
	printf("%ld %ld\n", first, least);
	return 0;
}
