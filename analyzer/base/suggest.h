/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names that were perhaps meant by one that does not exist. */
#ifndef INSIDEME_SUGGEST_H
#define INSIDEME_SUGGEST_H

#include <stddef.h>

#define NEAREST_MAX 3

struct nearest {
	const char *wanted;
	char *names[NEAREST_MAX];	/* nearest first */
	size_t distances[NEAREST_MAX];
	size_t nr;
};

/* Begin with .wanted set and all else 0; then each name that exists, far ones are not kept. */
void nearest_add(struct nearest *nearest, const char *name);
/* "; did you mean calls or callers?", or "". The caller frees it; nothing else remains. */
char *nearest_text(struct nearest *nearest);

#endif
