/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for a time, as changes of a sum. */
#include "analyzer/base/step_sums.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"

#define DIGIT_BITS	11
#define DIGITS		(1u << DIGIT_BITS)
#define DIGIT(time, least, shift)	(((uint64_t)(time) - (least)) >> (shift) & (DIGITS - 1))

static void add(struct changes *changes, int64_t time, double by)
{
	changes->list = xgrow(changes->list, changes->nr, sizeof(*changes->list));
	changes->list[changes->nr++] = (struct change){ time, by };
}

/* What follows what ends then is one change: of a memory that stays the same there is none in between. */
static void begin(struct changes *changes, int64_t from, double value)
{
	struct change *last = changes->nr ? &changes->list[changes->nr - 1] : NULL;

	if (!last || last->time != from) {
		add(changes, from, value);
		return;
	}
	last->by += value;
	if (last->by == 0)
		changes->nr--;
}

void changes_add(struct changes *changes, int64_t from, int64_t to, double value)
{
	if (to <= from || !isfinite(value))
		return;
	begin(changes, from, value);
	add(changes, to, -value);
}

void changes_release(struct changes *changes)
{
	free(changes->list);
}

static uint64_t least_time(const struct changes *changes, uint64_t *range)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t i = 0; i < changes->nr; i++) {
		least = changes->list[i].time < least ? changes->list[i].time : least;
		most = changes->list[i].time > most ? changes->list[i].time : most;
	}
	*range = changes->nr ? (uint64_t)most - (uint64_t)least : 0;
	return (uint64_t)least;
}

/* Stable: by one digit of the time since @least. */
static void sort_by_digit(const struct change *list, size_t nr, struct change *sorted, uint64_t least, unsigned int shift)
{
	size_t places[DIGITS] = { 0 }, before = 0;

	for (size_t i = 0; i < nr; i++)
		places[DIGIT(list[i].time, least, shift)]++;
	for (size_t digit = 0; digit < DIGITS; digit++) {
		size_t here = places[digit];

		places[digit] = before;
		before += here;
	}
	for (size_t i = 0; i < nr; i++)
		sorted[places[DIGIT(list[i].time, least, shift)]++] = list[i];
}

/* A page of 1,000 ranks sorts 6 million of them eight times: by comparing that took three times as long as all else. */
void changes_sort(struct changes *changes)
{
	uint64_t range, least = least_time(changes, &range);
	struct change *other = range ? xcalloc(changes->nr, sizeof(*other)) : NULL;

	for (unsigned int shift = 0; shift < 64 && range >> shift; shift += DIGIT_BITS) {
		struct change *list = changes->list;

		sort_by_digit(list, changes->nr, other, least, shift);
		changes->list = other;
		other = list;
	}
	free(other);
}

void changes_even_out(struct changes *changes, int64_t least_ns)
{
	const int64_t last = changes->nr ? changes->list[changes->nr - 1].time : 0;
	int64_t begin = changes->nr ? changes->list[0].time : 0, before = begin;
	struct changes even = { 0 };
	double now = 0, integral = 0;

	if (least_ns <= 0)
		return;
	for (size_t i = 0; i < changes->nr; i++) {
		while (before < changes->list[i].time) {
			int64_t end = last - begin < 2 * least_ns ? last : begin + least_ns;
			int64_t time = changes->list[i].time < end ? changes->list[i].time : end;

			integral += now * (double)(time - before);
			before = time;
			if (time < end)
				continue;
			changes_add(&even, begin, end, integral / (double)(end - begin));
			integral = 0;
			begin = end;
		}
		now += changes->list[i].by;
	}
	changes_release(changes);
	*changes = even;
}
