/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A curve in one line of text. */
#ifndef INSIDEME_SPARKLINE_H
#define INSIDEME_SPARKLINE_H

#include <stddef.h>

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

#endif
