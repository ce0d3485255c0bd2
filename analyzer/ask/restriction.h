/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --restrict, as the arguments of pstats' print_stats(): a number of rows, a fraction of them, or a regular
 * expression that is searched for in FILE:LINE(FUNCTION).
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct restriction {
	enum { RESTRICT_NUMBER, RESTRICT_FRACTION, RESTRICT_MATCH } kind;
	size_t nr;
	double fraction;		/* 0 to 1 */
	regex_t regex;			/* POSIX, extended */
};

/* Return: 0, or -EINVAL if @text is none of the three */
int restriction_parse(struct restriction *restriction, const char *text);
void restriction_release(struct restriction *restriction);

/* How many of @nr rows stay; of RESTRICT_MATCH all do, and restriction_matches() decides. */
size_t restriction_rows(const struct restriction *restriction, size_t nr);
/* @file: NULL, which is "~" in pstats: not known */
bool restriction_matches(const struct restriction *restriction, const char *file, unsigned int line,
			 const char *function);
