// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Recording goes off and on in C++. The report must show
 *   kept 100 in main, after 50 exceptions that are thrown and caught while it is off, and 50 that are thrown
 *   while it is off and
 *   caught when it is on; thrower 0; work 20, in field solver; Shape::area() 3, a region of the function's
 *   own name
 */
#include <insideme.h>

#include <cstdio>
#include <stdexcept>

static volatile long sink;

__attribute__((noinline)) static void kept()
{
	sink = sink + 1;
}

__attribute__((noinline)) static void thrower(int depth, bool switches)
{
	if (depth)
		thrower(depth - 1, switches);
	if (switches)
		insideme_enable();
	if (sink >= 0)
		throw std::runtime_error("thrown");
}

template <int number> __attribute__((noinline)) static void work()
{
	INSIDEME_FIELD("solver");
	sink = sink + number;
}

struct shape {
	__attribute__((noinline, no_instrument_function)) void area()
	{
		INSIDEME_FUNCTION();
		sink = sink + 1;
	}
};

static int catch_all(bool switches)
{
	int caught = 0;

	for (int i = 0; i < 50; i++) {
		insideme_disable();
		try {
			thrower(i % 4, switches);
		} catch (const std::exception &) {
			caught++;
		}
		if (!switches)
			insideme_enable();
		kept();
	}
	return caught;
}

int main()
{
	int caught = catch_all(false) + catch_all(true);
	shape one;

	for (int i = 0; i < 10; i++) {
		work<1>();
		work<2>();
	}
	for (int i = 0; i < 3; i++)
		one.area();
	std::printf("caught %d, lines %d\n", caught, insideme_summary(stdout) < 0 ? 0 : 1);
	return 0;
}
