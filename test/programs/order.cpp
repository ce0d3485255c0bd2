/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls before main and after it: resolvers of IFUNCs, preinit, constructors of every priority, static
 * objects, atexit and destructors, here and in a library. The report must show
 *   step 8 calls: very_first, first, last, late, two of main, two of the static object;
 *   library_step 3: library_begin, one, library_end; chosen 1; counter's constructor and destructor 1 each;
 *   the calls of the two resolvers, 4, are missing as calls before the recorder was ready.
 */
#include <cstdio>
#include <cstdlib>

extern "C" int library_answer();

static volatile long sink;

__attribute__((noinline)) static void step()
{
	sink = sink + 1;
}

__attribute__((noinline)) static int early_step()
{
	sink = sink + 1;
	return 1;
}

static int chosen()
{
	return 2;
}

extern "C" int (*choose())()
{
	return early_step() ? chosen : nullptr;
}
int answer() __attribute__((ifunc("choose")));

static void very_first()
{
	step();
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)() = very_first;

__attribute__((constructor(101))) static void first()
{
	step();
}

__attribute__((constructor)) static void last()
{
	step();
}

struct counter {
	counter() { step(); }
	~counter() { step(); }
};
static counter object;

__attribute__((destructor(101))) static void late()
{
	step();
}

int main()
{
	step();
	atexit(step);
	return library_answer() + answer() + 4;	/* 7 */
}
