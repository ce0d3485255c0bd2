/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text on a terminal: what it can show, the pager, curves of bars, and line breaks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct terminal {
	size_t width;
	size_t height;			/* 0: not a terminal, or its height is not known */
	bool utf8;
	bool colour;
};

/*
 * Height: $LINES, or the terminal's. Width: $COLUMNS, or the terminal's, or 100. Colour: on a terminal,
 * unless $NO_COLOR is set.
 */
void terminal_init(struct terminal *terminal, FILE *out);

/*
 * Make @text safe to print: control characters become '?'. Without UTF-8, bars become ASCII art, an
 * ellipsis becomes "...", and any other character '?'. Return: newly allocated
 */
char *terminal_text(const struct terminal *terminal, const char *text);

/*
 * Whether standard output is a terminal that can run a pager, and the user did not turn the pager off
 * by an empty name or "cat".
 */
bool pager_is_wanted(void);

/*
 * Write @text to standard output. If it has more lines than the terminal, it goes through
 * $INSIDEME_PAGER, $PAGER or less -FRX. Leaving the pager early is no error. Return: false, with errno,
 * if @text could not be written
 */
bool pager_show(const char *text, size_t bytes);

/* Numbers over time, in equal steps. A step keeps its largest number. */
struct sparkline {
	double *steps;		/* NAN: no number in this step */
	size_t nr_steps;
};

void sparkline_init(struct sparkline *line, size_t nr_steps);
void sparkline_release(struct sparkline *line);

/* @at: from 0 at the start to 1 at the end. */
void sparkline_add(struct sparkline *line, double at, double number);

/*
 * UTF-8 bars from 0 to @top, one character a step. A step without a number repeats the one before it,
 * or is blank at the start. Return: newly allocated
 */
char *sparkline_text(const struct sparkline *line, double top);

/*
 * Length of the first line of @text: up to a newline, or the last blank before @width columns. A
 * command to be pasted, such as "insideme-report -v functions RUN", is never broken: it ends at a
 * newline, two blanks, or one of ",;:" and a blank.
 */
size_t wrap_length(const char *text, size_t width);
