/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the place that text goes to can show. */
#ifndef INSIDEME_TERMINAL_H
#define INSIDEME_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct terminal {
	size_t width;
	size_t height;			/* 0: not a terminal, or one that knows no lines */
	bool utf8;
	bool colour;
};

/* Height: LINES, else the terminal's. Width: COLUMNS, else the terminal's, else 100. Colour: on a terminal, unless NO_COLOR is set. */
void terminal_init(struct terminal *terminal, FILE *out);

/*
 * What may be printed of @text: control characters become '?'; where the terminal is not UTF-8 bars become
 * ASCII art, "..." stands for an ellipsis, and '?' for any other character. Return: newly allocated
 */
char *terminal_text(const struct terminal *terminal, const char *text);

/* Heights of bars for terminal_text(), lowest first: TERMINAL_BARS of them. */
#define TERMINAL_BARS 8
extern const char *const terminal_bars[TERMINAL_BARS];

#endif
