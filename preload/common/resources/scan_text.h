/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading the text of /proc: numbers and "key: value" lines. The fast path of the sampler, which parses some
 * 700 bytes a hundred times a second; text ends with 0.
 */
#ifndef INSIDEME_SCAN_TEXT_H
#define INSIDEME_SCAN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

static ALWAYS_INLINE bool scan_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Move *@at behind @count fields of non-blanks and the blanks before each; false when the text ends early. */
static ALWAYS_INLINE bool scan_skip(const char **at, int count)
{
	const char *p = *at;

	while (count-- > 0) {
		while (*p == ' ')
			p++;
		if (!*p || *p == '\n')
			return false;
		while (*p && *p != ' ' && *p != '\n')
			p++;
	}
	*at = p;
	return true;
}

/* A number after blanks or tabs; false without a digit, or when it does not fit. */
static ALWAYS_INLINE bool scan_number(const char **at, uint64_t *number)
{
	const char *p = *at;
	uint64_t value = 0;

	while (*p == ' ' || *p == '\t')
		p++;
	if (!scan_is_digit(*p))
		return false;
	for (; scan_is_digit(*p); p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (unlikely(value > UINT64_MAX / 10 || (value == UINT64_MAX / 10 && digit > UINT64_MAX % 10)))
			return false;
		value = value * 10 + digit;
	}
	*at = p;
	*number = value;
	return true;
}

struct scan_key {
	const char *key;	/* as at the start of the line, with its colon */
	uint64_t *value;	/* left alone when the key is missing or no number follows */
};

/* Fill the values of @keys, which stand in the order in which the kernel writes them; some may be missing. */
void scan_keys(const char *text, const struct scan_key *keys, int nr_keys);

#endif
