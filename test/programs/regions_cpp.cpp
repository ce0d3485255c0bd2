// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Regions in C++: ended by return, break and exceptions. The report must show
 *   work 200 calls, in it part 200; thrown 100, none of them broken; caught 100, in no region that was left;
 *   early 1 (before main)
 */
#include <insideme.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

static volatile long sink;

struct before_main {
	before_main()
	{
		INSIDEME_REGION("early");
		sink = sink + 1;
	}
};
static before_main before;

static void part()
{
	INSIDEME_REGION("part");
	sink = sink + 1;
}

static void work()
{
	INSIDEME_REGION("work");
	for (;;) {
		part();
		break;
	}
}

static void thrower(int depth)
{
	INSIDEME_REGION("thrown");
	std::string text = "thrown";

	if (depth == 0)
		throw std::runtime_error(text);
	thrower(depth - 1);
}

int main()
{
	std::thread other([] {
		for (int i = 0; i < 100; i++)
			work();
	});
	int caught = 0;

	for (int i = 0; i < 100; i++)
		work();
	for (int i = 0; i < 50; i++) {
		try {
			thrower(1);
		} catch (const std::exception &) {
			INSIDEME_REGION("caught");
			caught++;
		}
	}
	other.join();
	std::printf("caught %d\n", caught);
	return caught == 50 ? 0 : 1;
}
