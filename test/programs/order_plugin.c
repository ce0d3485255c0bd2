/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The library of order.cpp: calls in the resolver of an IFUNC, before any constructor; in its own constructor
 * and destructor.
 */
static volatile long sink;

__attribute__((noinline)) static void library_step(void)
{
	sink++;
}

static int one(void)
{
	library_step();
	return 1;
}

static int (*choose_answer(void))(void)
{
	library_step();
	return one;
}

int library_answer(void) __attribute__((ifunc("choose_answer")));

__attribute__((constructor)) static void library_begin(void)
{
	library_step();
}

__attribute__((destructor)) static void library_end(void)
{
	library_step();
}
