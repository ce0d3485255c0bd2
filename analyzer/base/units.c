/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as text. */
#include "analyzer/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NR_SCALES 5

/* A unit and its larger multiples, smallest first. */
struct scale {
	double step;			/* ratio of one multiple to the next */
	double exact_below;		/* whole values below this are printed exactly */
	const char *names[NR_SCALES];	/* NULL: no further multiple */
};

static const struct scale scales[] = {
	[UNIT_NONE]       = {    1,    INFINITY, { "" } },
	[UNIT_COUNT]      = { 1000,       10000, { "", " k", " M", " G", " T" } },
	[UNIT_BYTES]      = { 1024,        1024, { " B", " KiB", " MiB", " GiB", " TiB" } },
	[UNIT_NS]         = { 1000,           0, { " ns", " us", " ms", " s" } },
	[UNIT_PERCENT]    = {    1,           0, { " %" } },
	[UNIT_CORES]      = {    1,           0, { " cores" } },
	[UNIT_COUNT_RATE] = { 1000,           0, { "/s", " k/s", " M/s", " G/s" } },
	[UNIT_BYTES_RATE] = { 1024,           0, { " B/s", " KiB/s", " MiB/s", " GiB/s", " TiB/s" } },
};

/* The one unit for all times, or for all memory. */
struct kept_unit {
	const char *name;
	double size;
};

static const struct kept_unit time_units[] = {
	{ "h", 3.6e12 }, { "min", 6e10 }, { "s", 1e9 }, { "ms", 1e6 },
	{ "us", 1e3 },	 { "ns", 1 },	  { NULL, 0 },
};
static const struct kept_unit memory_units[] = {
	{ "B", 1 }, { "KiB", 1024 }, { "MiB", 1048576 }, { "GiB", 1073741824 }, { NULL, 0 },
};
/* set by the command line before any value; NULL: the unit that suits each value */
static const struct kept_unit *kept_time, *kept_memory;

static const struct kept_unit *find_unit(const struct kept_unit *units, const char *name)
{
	for (; units->name; units++)
		if (strcmp(units->name, name) == 0)
			return units;
	return NULL;
}

const char *unit_keep_time(const char *name)
{
	kept_time = find_unit(time_units, name);
	return kept_time ? kept_time->name : NULL;
}

const char *unit_keep_memory(const char *name)
{
	kept_memory = find_unit(memory_units, name);
	return kept_memory ? kept_memory->name : NULL;
}

/* How many decimals make three significant digits after rounding. */
static int decimals(double value)
{
	if (value >= 99.95)
		return 0;
	return value >= 9.995 ? 1 : 2;
}

static char *format_scaled(char *out, const struct scale *scale, double value, const char *sign)
{
	size_t i = 0;

	while (i + 1 < NR_SCALES && scale->names[i + 1] && value >= scale->step - 0.5) {
		value /= scale->step;
		i++;
	}
	if (i == 0 && value == floor(value))
		snprintf(out, UNIT_TEXT_MAX, "%s%.0f%s", sign, value, scale->names[i]);
	else
		snprintf(out, UNIT_TEXT_MAX, "%s%.*f%s", sign, decimals(value), value, scale->names[i]);
	return out;
}

static char *format_percent(char *out, double value, const char *sign)
{
	int digits = value >= 99.95 || value == 0 ? 0 : 1;

	if (value > 0 && value < 0.05)
		snprintf(out, UNIT_TEXT_MAX, "<0.1 %%");
	else
		snprintf(out, UNIT_TEXT_MAX, "%s%.*f %%", sign, digits, value);
	return out;
}

/* At least three significant digits: "0.000412 s". */
static char *format_kept(char *out, const struct kept_unit *unit, double value, const char *sign,
			 const char *rate)
{
	double own = value / unit->size;
	int digits = decimals(own);

	for (double least = 1; digits < 18 && own > 0 && own < least; least /= 10)
		digits++;
	if (own == floor(own))
		digits = 0;
	snprintf(out, UNIT_TEXT_MAX, "%s%.*f %s%s", sign, digits, own, unit->name, rate);
	return out;
}

static const struct kept_unit *kept_of(enum unit unit)
{
	if (unit == UNIT_NS)
		return kept_time;
	return unit == UNIT_BYTES || unit == UNIT_BYTES_RATE ? kept_memory : NULL;
}

char *unit_format(char *out, enum unit unit, double value)
{
	const struct scale *scale = &scales[unit];
	const char *sign = value < 0 ? "-" : "";

	out[0] = '\0';
	if (!isfinite(value))
		return out;
	if (unit == UNIT_NONE && value != 0 && (fabs(value) < 0.01 || fabs(value) >= 1e15)) {
		snprintf(out, UNIT_TEXT_MAX, "%.3g", value);
		return out;
	}
	if (fabs(value) >= 1e21)
		return out;
	value = fabs(value);
	if (unit == UNIT_PERCENT)
		return format_percent(out, value, sign);
	if (value == 0 && (unit == UNIT_BYTES || unit == UNIT_NS))
		return strcpy(out, "0");
	if (kept_of(unit))
		return format_kept(out, kept_of(unit), value, sign, unit == UNIT_BYTES_RATE ? "/s" : "");
	if (unit == UNIT_CORES && value == 1) {
		snprintf(out, UNIT_TEXT_MAX, "%s1 core", sign);
		return out;
	}
	if (value < scale->exact_below && value == floor(value)) {
		snprintf(out, UNIT_TEXT_MAX, "%s%.0f%s", sign, value, scale->names[0]);
		return out;
	}
	return format_scaled(out, scale, value, sign);
}

char *unit_plain(char out[UNIT_PLAIN_MAX], double value)
{
	if (!isfinite(value))
		return strcpy(out, "");
	if (fabs(value) < 1e16)
		decimal_thousandths(out, value);
	else
		snprintf(out, UNIT_PLAIN_MAX, "%.0f", value);
	return strcmp(out, "-0") ? out : strcpy(out, "0");
}

#define DIGITS 15	/* significant digits that a double always keeps */
#define DIGITS_MOST 999999999999999

/*
 * @value times 10^@decimals, below 2^64, rounded half to even as printf does. 53 bits times 10^22 fit
 * in 128.
 */
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

/* Print @digits, the last @decimals of them after the point, without trailing zeros. */
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
	unsigned int zeros = 0, decimals = DIGITS - 1;	/* zeros: between the point and the first digit */
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
