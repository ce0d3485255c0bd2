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

/* Is standard output a terminal on which a pager can work, and is one not turned off by an empty name or "cat"? */
bool pager_is_wanted(void);

/*
 * Write @text to standard output, through $INSIDEME_PAGER, $PAGER or less -FRX when it has more lines than the
 * terminal. Who leaves the pager early has seen enough. Return: false when it could not be written, with errno
 */
bool pager_show(const char *text, size_t bytes);

/* Numbers over time, in equal steps; a step keeps the largest number that fell into it. */
struct sparkline {
	double *steps;		/* NAN: none fell into it */
	size_t nr_steps;
};

void sparkline_init(struct sparkline *line, size_t nr_steps);
void sparkline_release(struct sparkline *line);

/* @at: when, from 0 at the start to 1 at the end. */
void sparkline_add(struct sparkline *line, double at, double number);

/*
 * Bars from 0 to @top as UTF-8, one character a step; a step without a number shows the one before it, or a
 * blank if there is none. Return: newly allocated
 */
char *sparkline_text(const struct sparkline *line, double top);

/*
 * Bytes of @text in its first line: up to a newline, or the last blank before @width columns. Commands to be pasted,
 * as "insideme-report -v functions RUN", stay whole, however long they are: up to a newline, two blanks or one of ",;:" and a blank.
 */
size_t wrap_length(const char *text, size_t width);

#endif
