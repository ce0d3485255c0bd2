/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as text: for people, with three significant digits and a unit; for programs, as exact
 * decimals. No locale. The only state is the units that the command line asked for.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum unit {
	UNIT_NONE,		/* a plain number: line, pid, level */
	UNIT_COUNT,		/* calls, faults: exact to 9999, then k, M, G */
	UNIT_BYTES,		/* B, KiB, MiB, GiB, TiB */
	UNIT_NS,		/* ns, us, ms, s */
	UNIT_PERCENT,
	UNIT_CORES,
	UNIT_COUNT_RATE,	/* per second */
	UNIT_BYTES_RATE,
};

#define UNIT_TEXT_MAX 32	/* room enough for unit_format() */

/*
 * Print all times ("h", "min", "s", "ms", "us", "ns") or all memory and its rates ("B", "KiB", "MiB",
 * "GiB") in one unit from now on. Return: the unit's static name; NULL if there is no such unit
 */
const char *unit_keep_time(const char *name);
const char *unit_keep_memory(const char *name);

/**
 * unit_format() - write @value for people: "98.2 s", "1.61 M", "-2.31 GiB", "0"
 * @out: at least UNIT_TEXT_MAX bytes
 *
 * Return: @out
 */
char *unit_format(char *out, enum unit unit, double value);

/* @value with up to three decimals, '.' as the point and no exponent; "" if not finite. Return: @out */
#define UNIT_PLAIN_MAX 64
char *unit_plain(char out[UNIT_PLAIN_MAX], double value);

#define DECIMAL_TEXT_MAX 32

/*
 * As "%.3f" without trailing zeros: "0.25", "3", "-0". The size of @value must be below 1e16. These two
 * take a fifth of printf's time. Return: @out
 */
char *decimal_thousandths(char out[DECIMAL_TEXT_MAX], double value);

/* As "%.15g", for any number. Return: @out */
char *decimal_significant(char out[DECIMAL_TEXT_MAX], double value);
