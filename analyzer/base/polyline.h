/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that are known at some times, and taken to change evenly between them. */
#ifndef INSIDEME_POLYLINE_H
#define INSIDEME_POLYLINE_H

#include <stddef.h>
#include <stdint.h>

struct curve {
	size_t nr;		/* points; 0: nothing is known */
	size_t nr_numbers;	/* at each */
	int64_t *times;		/* rising */
	double *numbers;	/* [point * nr_numbers + number] */
};

void curve_init(struct curve *curve, size_t nr_numbers);
void curve_release(struct curve *curve);

/* Add a point behind the others; one that is not later than the last is left out. */
void curve_add(struct curve *curve, int64_t time, const double *numbers);

/* @numbers: those at @time; before the first point and after the last one, those there. There must be a point. */
void curve_at(const struct curve *curve, int64_t time, double *numbers);

#endif
