/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for a time, as changes of a sum: of what several processes use together. */
#ifndef INSIDEME_STEP_SUMS_H
#define INSIDEME_STEP_SUMS_H

#include <stddef.h>
#include <stdint.h>

struct change {
	int64_t time;
	double by;
};

/* Begin with all 0. */
struct changes {
	struct change *list;
	size_t nr;
};

/* @value holds in this time. */
void changes_add(struct changes *changes, int64_t from, int64_t to, double value);
/* Put them into the order of time. */
void changes_sort(struct changes *changes);
/*
 * Of such in the order of time: what held at each time becomes the mean of a stretch, @least_ns long or longer; 0: it stays. For sums
 * of rates, which are means themselves: where two of them meet for an instant their sum says nothing of that.
 */
void changes_even_out(struct changes *changes, int64_t least_ns);
void changes_release(struct changes *changes);

#endif
