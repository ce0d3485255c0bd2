/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that were perhaps meant: the word is a part of them, or they are a few slips of the keyboard away. */
#include "analyzer/base/suggest.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "insideme_pattern.h"

void nearest_add(struct nearest *nearest, const char *name)
{
	const struct glob word = { nearest->wanted, strlen(nearest->wanted) };
	size_t far = near_distance(&word, name), at = nearest->nr;

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
