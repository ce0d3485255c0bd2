/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers as people read them: three significant digits and a unit. No locale; nothing is kept but which units were asked for.
 */
#ifndef INSIDEME_UNITS_H
#define INSIDEME_UNITS_H

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

#define UNIT_TEXT_MAX 32	/* room that unit_format() never exceeds */

/*
 * Times in one unit from now on ("h", "min", "s", "ms", "us", "ns"), or memory ("B", "KiB", "MiB", "GiB") and its rates, rather
 * than each in its own. Return: the name, which lives on; NULL: there is no such unit
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

/* @value with up to three decimals, '.' as its point, no exponent; "" if it is not finite. Return: @out */
#define UNIT_PLAIN_MAX 64
char *unit_plain(char out[UNIT_PLAIN_MAX], double value);

#define DECIMAL_TEXT_MAX 32

/* As "%.3f" without the zeros at its end: "0.25", "3", "-0". @value: less than 1e16 on either side of 0. Return: @out */
char *decimal_thousandths(char out[DECIMAL_TEXT_MAX], double value);

/* As "%.15g", of any number. Return: @out */
char *decimal_significant(char out[DECIMAL_TEXT_MAX], double value);

#endif
