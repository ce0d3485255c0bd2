/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_lines [SHORT]: four lines call work() 100, 200, 300 and 400 times, each for the same time. A recursion,
 * whose inner calls come from a line of its own; calls of an inlined function from two lines; a comparison
 * called by qsort(); calls that a longjmp() ends; a call that is open when the program exits. SHORT: first two
 * lines call a short function SHORT and 3 * SHORT times, and two others one that is inlined.
 */
#include <setjmp.h>
#include <stdlib.h>

static volatile unsigned long sink;
static jmp_buf there;

__attribute__((noinline)) static void work(unsigned long n)
{
	unsigned long value = sink;

	for (unsigned long i = 0; i < n; i++)
		value = (value ^ value >> 29) * 6364136223846793005ul;
	sink = value;
}

__attribute__((noinline)) static void parts(void)
{
	for (int i = 0; i < 100; i++)
		work(3000); /* 1 */
	for (int i = 0; i < 200; i++)
		work(3000); /* 2 */
	for (int i = 0; i < 300; i++)
		work(3000); /* 3 */
	for (int i = 0; i < 400; i++)
		work(3000); /* 4 */
}

__attribute__((noinline)) static void called(void)
{
	sink++;
}

static inline __attribute__((always_inline)) void inlined(void)
{
	sink++;
}

__attribute__((noinline)) static void brief(int n)
{
	for (int i = 0; i < n; i++)
		called(); /* called once */
	for (int i = 0; i < 3 * n; i++)
		called(); /* called three times */
	for (int i = 0; i < n; i++)
		inlined(); /* inlined once */
	for (int i = 0; i < 3 * n; i++)
		inlined(); /* inlined three times */
}

static inline __attribute__((always_inline)) void inner(unsigned long n)
{
	work(n); /* within */
	sink++;
}

__attribute__((noinline)) static void outer(void)
{
	inner(3000); /* first copy */
	for (int i = 0; i < 5; i++)
		inner(6000); /* second copy */
}

__attribute__((noinline)) static void recurse(int depth)
{
	if (depth)
		recurse(depth - 1); /* deeper */
	else
		work(30000); /* deepest */
	sink++;
}

static int compare(const void *a, const void *b)
{
	sink++;
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void jump(void)
{
	work(3000); /* before the jump */
	longjmp(there, 1);
}

__attribute__((noinline)) static void leave(void)
{
	work(30000); /* before the end */
	exit(0);
}

int main(int argc, char **argv)
{
	int numbers[] = { 4, 2, 3, 1 };

	brief(argc > 1 ? atoi(argv[1]) : 0);
	parts(); /* parts */
	for (int i = 0; i < 10; i++)
		outer(); /* outer */
	recurse(20); /* outermost */
	qsort(numbers, 4, sizeof(*numbers), compare); /* qsort */
	for (int i = 0; i < 3; i++)
		if (!setjmp(there))
			jump(); /* jump */
	leave(); /* open */
}
