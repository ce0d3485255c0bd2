/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * line_places [TENTHS]: lines that are more than one place. Two functions on one line call work() 10 and 20
 * times, a template's line 30 and 40 times in its two instances, a macro's line 20 times by four calls of one
 * expansion, and another 80 times. All calls take the same time, so the six have 10:20:30:40:20:80 parts of
 * it.
 * All that once, or again and again for TENTHS / 10 s of CPU time.
 */
#include <cstdlib>
#include <ctime>

static volatile unsigned long sink;

__attribute__((noinline)) static void work()
{
	unsigned long value = sink;

	for (int i = 0; i < 300; i++)
		value = (value ^ value >> 29) * 6364136223846793005ul;
	sink = value;
}

#define NOINLINE __attribute__((noinline)) static
#define FOUR_TIMES do { work(); work(); work(); work(); } while (0)

NOINLINE void ten() { for (int i = 10; i--;) work(); } NOINLINE void twenty() { for (int i = 20; i--;) work(); } /* two */

template <int times> NOINLINE void repeat()
{
	for (int i = 0; i < times; i++)
		work(); /* template */
}

NOINLINE void expand(int nr)
{
	for (int i = 0; i < nr; i++)
		FOUR_TIMES; /* macro */
	for (int i = 0; i < nr; i++) {
		FOUR_TIMES; FOUR_TIMES; FOUR_TIMES; FOUR_TIMES; /* macros */
	}
	sink = sink + 1;
}

NOINLINE void all()
{
	ten(), twenty(), repeat<30>(), repeat<40>(); /* four */
	expand(5); /* expand */
}

int main(int argc, char **argv)
{
	const clock_t tenths = argc > 1 ? atoi(argv[1]) : 0;

	do
		all(); /* all */
	while (clock() < tenths * CLOCKS_PER_SEC / 10);
	return 0;
}
