/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ordinary calls, with counts known by construction. The report must show
 *   outer 1000, middle 3000, leaf 6000 calls; fib 21891 (fib(20)); even 501 and odd 500 (even(1000));
 *   in the tree: main > outer > middle > leaf; "never" does not appear.
 */
#include <stdio.h>

static volatile long sink;

static void leaf(void)
{
	sink++;
}

static void middle(void)
{
	leaf();
	leaf();
}

static void outer(void)
{
	middle();
	middle();
	middle();
}

static long fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int odd(int n);

static int even(int n)
{
	return n == 0 ? 1 : odd(n - 1);
}

static int odd(int n)
{
	return n == 0 ? 0 : even(n - 1);
}

void never(void)
{
	leaf();
}

int main(void)
{
	for (int i = 0; i < 1000; i++)
		outer();
	printf("leaf %ld, fib %ld, even %d\n", sink, fib(20), even(1000));
	return sink == 6000 ? 7 : 1;
}
