/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers over time, in two forms. Steps add up what several processes use together: each contributes a
 * value that holds for a while. A curve is known at some points, and changes evenly between them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct step {
	int64_t time;
	double by;
};

/*
 * All 0 at first, but for @from and @to: if there are more than STEPS_MOST, changes of one STEPS_CELLS-th of
 * this time become one.
 */
#define STEPS_MOST	(1u << 21)
#define STEPS_CELLS	(1u << 20)
struct steps {
	struct step *list;
	size_t nr;
	int64_t from, to;
	double *cells;			/* [STEPS_CELLS]; NULL: they are few */
	double cells_per_ns;
};

/* Add @value from @from to @to. */
void steps_add(struct steps *steps, int64_t from, int64_t to, double value);
/* Sort by time. */
void steps_sort(struct steps *steps);
/*
 * Replace the values of sorted steps by their means over stretches of at least @least_ns; 0 leaves them
 * as they are. A rate is itself a mean: where two rates overlap only for an instant, their sum in that
 * instant means nothing.
 */
void steps_even_out(struct steps *steps, int64_t least_ns);
void steps_release(struct steps *steps);

struct curve {
	size_t nr;		/* number of points; 0: nothing is known */
	size_t nr_numbers;	/* numbers at each point */
	int64_t *times;		/* ascending */
	double *numbers;	/* [point * nr_numbers + number] */
	size_t near;		/* where curve_at() found its last time */
};

void curve_init(struct curve *curve, size_t nr_numbers);
void curve_release(struct curve *curve);

/* Append a point. A point that is not later than the last one is dropped. */
void curve_add(struct curve *curve, int64_t time, const double *numbers);

/* The first point after @time; curve->nr: none. */
size_t curve_find(const struct curve *curve, int64_t time);

/*
 * Set @numbers to the values at @time, or to those of the nearest end outside the curve. @curve must
 * have a point.
 */
void curve_at(struct curve *curve, int64_t time, double *numbers);
