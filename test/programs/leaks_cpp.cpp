// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The report must show as not freed: by_new 4 blocks of 8 bytes, by_array 3 of 1000, by_aligned 2 of 128,
 * by_nothrow 1 of 24; nothing of by_vector and by_exception, which allocate and free.
 */
#include <cstdio>
#include <new>
#include <stdexcept>
#include <vector>

struct alignas(64) wide {
	char bytes[128];
};

static void *volatile sink;

#define SITE __attribute__((noinline)) static

SITE void by_new()
{
	for (long i = 0; i < 5; i++) {
		long *one = new long(i);

		sink = one;
		if (i == 4)
			delete one;
	}
}

SITE void by_array()
{
	for (int i = 0; i < 3; i++)
		sink = new char[1000];
}

SITE void by_aligned()
{
	for (int i = 0; i < 3; i++) {
		wide *one = new wide;

		sink = one;
		if (i == 2)
			delete one;
	}
}

SITE void by_nothrow()
{
	sink = new (std::nothrow) char[24];
}

SITE void by_vector()
{
	void *storage = ::operator new(4096);

	sink = storage;
	::operator delete(storage);
}

SITE void by_exception()
{
	try {
		throw std::runtime_error("a message that is too long to be kept within the string object");
	} catch (const std::exception &error) {
		sink = const_cast<char *>(error.what());
	}
}

int main()
{
	by_new();
	by_array();
	by_aligned();
	by_nothrow();
	by_vector();
	by_exception();
	std::puts("done");
	return 0;
}
