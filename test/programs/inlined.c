/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inlined: step() calls one(), two() and three() by turns for 1.6 s of CPU time. They do the same arithmetic
 * 16, 32 and 48 times, and the compiler inlines them; three() calls half(), inlined too, for half of its
 * work. By timing auto their self times are 2:4:3:3, beneath step().
 */
#include <stdio.h>
#include <time.h>

#define TIMES 16
#define INLINED static inline __attribute__((always_inline))

static unsigned long work(unsigned long, int) __attribute__((always_inline, no_instrument_function));
static inline unsigned long work(unsigned long value, int times)
{
	for (int i = 0; i < times; i++)
		value = (value ^ value >> 29) * 6364136223846793005ul; /* which has no shorter form */
	return value;
}

INLINED unsigned long one(unsigned long value)
{
	return work(value, TIMES);
}

INLINED unsigned long two(unsigned long value)
{
	return work(value, 2 * TIMES);
}

INLINED unsigned long half(unsigned long value)
{
	return work(value, TIMES + TIMES / 2);
}

INLINED unsigned long three(unsigned long value)
{
	return half(work(value, TIMES + TIMES / 2));
}

__attribute__((noinline)) static unsigned long step(unsigned long value)
{
	for (int i = 0; i < 10000; i++)
		value = three(two(one(value)));
	return value;
}

int main(void)
{
	unsigned long value = 1;

	while (clock() < (clock_t)(1.6 * CLOCKS_PER_SEC))
		value = step(value | 1);
	printf("%lu\n", value);
	return 0;
}
