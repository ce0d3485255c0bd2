/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real numbers as decimal text, by whole numbers that hold them exactly. */
#include "analyzer/base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 15	/* that a double keeps of any text */
#define DIGITS_MOST 999999999999999

/* @value times 10^@decimals, half to even, as printf rounds; less than 2^64. 53 bits times 10^22 have room in 128. */
static uint64_t scaled(double value, unsigned int decimals)
{
	int exponent, shift;
	unsigned __int128 product = (unsigned __int128)(frexp(value, &exponent) * 0x1p53), rest, half;
	uint64_t whole;

	while (decimals--)
		product *= 10;
	shift = 53 - exponent;
	if (shift > 120)	/* less than half of the last digit */
		return 0;
	if (shift <= 0)
		return (uint64_t)product << -shift;
	whole = (uint64_t)(product >> shift);
	rest = product - ((unsigned __int128)whole << shift);
	half = (unsigned __int128)1 << (shift - 1);
	return whole + (rest > half || (rest == half && whole % 2));
}

/* @digits with the last @decimals of them behind the point; without zeros at the end. */
static char *print(char *out, bool negative, uint64_t digits, unsigned int decimals)
{
	char text[DECIMAL_TEXT_MAX], *end = text + sizeof(text) - 1, *front = end;

	*end = '\0';
	for (; decimals && digits % 10 == 0; decimals--)
		digits /= 10;
	for (; decimals; decimals--, digits /= 10) {
		*--front = (char)('0' + digits % 10);
		if (decimals == 1)
			*--front = '.';
	}
	do
		*--front = (char)('0' + digits % 10);
	while (digits /= 10);
	if (negative)
		*--front = '-';
	return memcpy(out, front, (size_t)(end - front) + 1);
}

char *decimal_thousandths(char out[DECIMAL_TEXT_MAX], double value)
{
	return print(out, signbit(value), scaled(fabs(value), 3), 3);
}

static char *by_printf(char *out, double value)
{
	snprintf(out, DECIMAL_TEXT_MAX, "%.*g", DIGITS, value);
	return out;
}

char *decimal_significant(char out[DECIMAL_TEXT_MAX], double value)
{
	static const double tenths[] = { 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8 };
	static const char exponents[][5] = { [5] = "e-05", [6] = "e-06", [7] = "e-07", [8] = "e-08" };
	double size = fabs(value);
	unsigned int zeros = 0, decimals = DIGITS - 1;	/* zeros: in front of the first digit */
	uint64_t digits;

	if (size == 0)
		return print(out, signbit(value), 0, 0);
	if (!(size >= 1e-8 && size < DIGITS_MOST))
		return by_printf(out, value);
	while (size < tenths[zeros])
		zeros++;
	for (double power = 10; size >= power; power *= 10)
		decimals--;
	digits = scaled(size, zeros + decimals);
	if (size >= 1e-4)
		return print(out, signbit(value), digits, zeros + decimals);
	if (digits > DIGITS_MOST)
		return by_printf(out, value);
	print(out, signbit(value), digits, decimals);
	return strcat(out, exponents[zeros]);
}
