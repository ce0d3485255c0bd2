/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/base/units: real numbers as decimal text, beside what printf writes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "test/unit/unit.h"

#define NUMBERS 200000

/* What decimal_thousandths() promises. */
static void check_thousandths(double value)
{
	char ours[DECIMAL_TEXT_MAX], theirs[400], *end;

	snprintf(theirs, sizeof(theirs), "%.3f", value);
	for (end = theirs + strlen(theirs); end[-1] == '0'; end--)
		;
	end[end[-1] == '.' ? -1 : 0] = '\0';
	assert_string_equal(decimal_thousandths(ours, value), theirs);
}

static void check_significant(double value)
{
	char ours[DECIMAL_TEXT_MAX], theirs[DECIMAL_TEXT_MAX];

	snprintf(theirs, sizeof(theirs), "%.15g", value);
	assert_string_equal(decimal_significant(ours, value), theirs);
}

static void check(double value)
{
	if (fabs(value) < 1e16)
		check_thousandths(value);
	check_significant(value);
}

/* The number itself and its neighbours. */
static void check_around(double value)
{
	check(value);
	check(nextafter(value, INFINITY));
	check(nextafter(value, -INFINITY));
	check(-value);
}

TEST(numbers_of_all_sizes_are_as_printf_writes_them)
{
	uint64_t random = 88172645463325252;

	for (int i = 0; i < NUMBERS; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		check(ldexp((double)(int64_t)random, (int)(random % 140) - 120));
		check((double)(random % 1000000) / 1000);
	}
}

TEST(halves_round_to_even_and_nines_reach_the_next_power)
{
	for (int i = 0; i < 4096; i++)
		check_around(i / 16.0);		/* 0.0625 lies between two thousandths, and is exact */
	for (int exponent = -20; exponent < 20; exponent++) {
		check_around(pow(10, exponent));
		check_around(5 * pow(10, exponent));
		check_around((1 - 0x1p-50) * pow(10, exponent));
		check_around(0.9999999999999995 * pow(10, exponent));
	}
	check_around(0x1p53);
	check_around(999999999999999.5 - 0.125);
}

TEST(what_is_not_a_decimal_is_as_printf_writes_it)
{
	check_significant(0.0);
	check_significant(-0.0);
	check_significant(5e-324);
	check_significant(1.7976931348623157e308);
	check_significant(INFINITY);
	check_thousandths(0.0);
	check_thousandths(-0.0);
	check_thousandths(-0.0004);
	check_thousandths(5e-324);
}
