/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for a time, as changes of a sum: of what several processes use together. */
#ifndef INSIDEME_CURVES_H
#define INSIDEME_CURVES_H

#include <stddef.h>
#include <stdint.h>

struct step {
	int64_t time;
	double by;
};

/* Begin with all 0. */
struct steps {
	struct step *list;
	size_t nr;
};

/* @value holds in this time. */
void steps_add(struct steps *steps, int64_t from, int64_t to, double value);
/* Put them into the order of time. */
void steps_sort(struct steps *steps);
/*
 * Of such in the order of time: what held at each time becomes the mean of a stretch, @least_ns long or longer; 0: it stays. For sums
 * of rates, which are means themselves: where two of them meet for an instant their sum says nothing of that.
 */
void steps_even_out(struct steps *steps, int64_t least_ns);
void steps_release(struct steps *steps);

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
