/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operator new of every kind. The report must show as alloc_calls
 *   by_new 100, by_new_array 100, by_aligned_new 100, by_nothrow 100, by_vector 8 (a vector that doubles from
 *   1 to
 *   128), all freed again by the same functions.
 */
#include <cstdio>
#include <new>
#include <vector>

struct alignas(64) wide {
	char bytes[128];
};

static void *volatile sink;

__attribute__((noinline)) static void by_new()
{
	for (int i = 0; i < 100; i++) {
		long *one = new long(i);

		sink = one;
		delete one;
	}
}

__attribute__((noinline)) static void by_new_array()
{
	for (int i = 0; i < 100; i++) {
		char *some = new char[1000];

		sink = some;
		delete[] some;
	}
}

__attribute__((noinline)) static void by_aligned_new()
{
	for (int i = 0; i < 100; i++) {
		wide *one = new wide;

		sink = one;
		delete one;
	}
}

__attribute__((noinline)) static void by_nothrow()
{
	for (int i = 0; i < 100; i++) {
		long *one = new (std::nothrow) long(i);

		sink = one;
		delete one;
	}
}

/* Raw storage, so that the allocations are this function's own and not those of a template's. */
__attribute__((noinline)) static void by_vector()
{
	void *last = nullptr;

	for (size_t size = 1; size <= 128; size *= 2) {
		void *next = ::operator new(size * sizeof(long));

		::operator delete(last);
		sink = last = next;
	}
	::operator delete(last);
}

int main()
{
	by_new();
	by_new_array();
	by_aligned_new();
	by_nothrow();
	by_vector();
	std::puts(sink ? "done" : "nothing");
	return 0;
}
