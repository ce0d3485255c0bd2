/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/ask/restriction.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

int restriction_parse(struct restriction *restriction, const char *text)
{
	size_t digits = strspn(text, "0123456789"), number = strspn(text, "0123456789.");
	bool is_percent = number && strcmp(text + number, "%") == 0;

	if (digits && !text[digits]) {
		restriction->kind = RESTRICT_NUMBER;
		restriction->nr = strtoul(text, NULL, 10);
		return 0;
	}
	if (digits && (is_percent || !text[number])) {
		restriction->kind = RESTRICT_FRACTION;
		restriction->fraction = strtod(text, NULL) / (is_percent ? 100 : 1);
		return restriction->fraction <= 1 ? 0 : -EINVAL;
	}
	restriction->kind = RESTRICT_MATCH;
	return text[0] && regcomp(&restriction->regex, text, REG_EXTENDED | REG_NOSUB) == 0 ? 0 : -EINVAL;
}

void restriction_release(struct restriction *restriction)
{
	if (restriction->kind == RESTRICT_MATCH)
		regfree(&restriction->regex);
}

size_t restriction_rows(const struct restriction *restriction, size_t nr)
{
	if (restriction->kind == RESTRICT_NUMBER)
		return restriction->nr < nr ? restriction->nr : nr;
	return restriction->kind == RESTRICT_FRACTION ? (size_t)(restriction->fraction * (double)nr + 0.5)
						      : nr;
}

bool restriction_matches(const struct restriction *restriction, const char *file, unsigned int line,
			 const char *function)
{
	char *text;
	bool matches;

	if (restriction->kind != RESTRICT_MATCH)
		return true;
	text = xasprintf("%s:%u(%s)", file ?: "~", line, function);
	matches = regexec(&restriction->regex, text, 0, NULL, 0) == 0;
	free(text);
	return matches;
}
