/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that were perhaps meant: the word is a part of them, or they are a few slips of the keyboard away. */
#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define LENGTH_MAX 63

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Letters to add, drop, change, or exchange with the next one, until @a is @b; both of at most LENGTH_MAX. */
static size_t slips(const char *a, size_t length_a, const char *b, size_t length_b)
{
	size_t rows[3][LENGTH_MAX + 1];

	for (size_t j = 0; j <= length_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= length_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *above_that = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= length_b; j++) {
			row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = least(row[j], above_that[j - 2] + 1);
		}
	}
	return rows[length_a % 3][length_b];
}

/* SIZE_MAX: not near. Classes and namespaces may be left out. */
static size_t distance(const char *wanted, const char *name)
{
	const char *member = strstr(name, "::");
	size_t length = strlen(wanted), length_name = strlen(name), most = length / 3 ? length / 3 : 1, nr;

	if (length > 1 && strcasestr(name, wanted))
		return strncasecmp(name, wanted, length) == 0 ? 0 : 1;
	if (length > LENGTH_MAX || length_name > LENGTH_MAX || !length)
		return SIZE_MAX;
	nr = slips(wanted, length, name, length_name);
	if (nr <= most && nr < length)
		return nr;
	return member ? distance(wanted, member + 2) : SIZE_MAX;
}

void nearest_add(struct nearest *nearest, const char *name)
{
	size_t far = distance(nearest->wanted, name), at = nearest->nr;

	if (far == SIZE_MAX)
		return;
	for (size_t i = 0; i < nearest->nr; i++)
		if (strcmp(nearest->names[i], name) == 0)
			return;
	while (at > 0 && nearest->distances[at - 1] > far)
		at--;
	if (at == NEAREST_MAX)
		return;
	if (nearest->nr == NEAREST_MAX)
		free(nearest->names[--nearest->nr]);
	for (size_t i = nearest->nr++; i > at; i--) {
		nearest->names[i] = nearest->names[i - 1];
		nearest->distances[i] = nearest->distances[i - 1];
	}
	nearest->names[at] = xstrdup(name);
	nearest->distances[at] = far;
}

char *nearest_text(struct nearest *nearest)
{
	char *text = xstrdup(""), *longer;

	for (size_t i = 0; i < nearest->nr; i++) {
		longer = xasprintf("%s%s%s", text, i == 0 ? "; did you mean " : i + 1 == nearest->nr ? " or " : ", ",
				   nearest->names[i]);
		free(text);
		free(nearest->names[i]);
		text = longer;
	}
	longer = xasprintf("%s%s", text, nearest->nr ? "?" : "");
	free(text);
	nearest->nr = 0;
	return longer;
}
