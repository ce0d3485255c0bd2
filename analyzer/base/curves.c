/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers over time: sums of steps, and straight lines between points. */
#include "analyzer/base/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

#define DIGIT_BITS	11
#define DIGITS		(1u << DIGIT_BITS)
#define DIGIT(time, least, shift)	(((uint64_t)(time) - (least)) >> (shift) & (DIGITS - 1))

static void add_to_cell(struct steps *steps, int64_t time, double by)
{
	double place = (double)(time - steps->from) * steps->cells_per_ns;

	steps->cells[place < 0 ? 0 : place < STEPS_CELLS ? (size_t)place : STEPS_CELLS - 1] += by;
}

static void make_cells(struct steps *steps)
{
	steps->cells = xcalloc(STEPS_CELLS, sizeof(*steps->cells));
	steps->cells_per_ns = STEPS_CELLS / (double)(steps->to - steps->from);
	for (size_t i = 0; i < steps->nr; i++)
		add_to_cell(steps, steps->list[i].time, steps->list[i].by);
	free(steps->list);
	steps->list = NULL;
	steps->nr = 0;
}

static void list_cells(struct steps *steps)
{
	double *cells = steps->cells, cell_ns = (double)(steps->to - steps->from) / STEPS_CELLS;

	steps->cells = NULL;
	for (size_t i = 0; i < STEPS_CELLS; i++)
		if (cells[i] != 0)
			APPEND(steps->list, steps->nr) =
				(struct step){ steps->from + (int64_t)((double)i * cell_ns), cells[i] };
	free(cells);
}

static void add(struct steps *steps, int64_t time, double by)
{
	if (steps->nr == STEPS_MOST && steps->to > steps->from)
		make_cells(steps);
	if (steps->cells)
		add_to_cell(steps, time, by);
	else
		APPEND(steps->list, steps->nr) = (struct step){ time, by };
}

/*
 * A step up at the time of the last step down is merged with it. Memory that stays the same needs no
 * step in between.
 */
static void begin(struct steps *steps, int64_t from, double value)
{
	struct step *last = steps->nr ? &steps->list[steps->nr - 1] : NULL;

	if (!last || last->time != from) {
		add(steps, from, value);
		return;
	}
	last->by += value;
	if (last->by == 0)
		steps->nr--;
}

void steps_add(struct steps *steps, int64_t from, int64_t to, double value)
{
	if (to <= from || !isfinite(value))
		return;
	begin(steps, from, value);
	add(steps, to, -value);
}

void steps_release(struct steps *steps)
{
	free(steps->list);
	free(steps->cells);
}

static uint64_t least_time(const struct steps *steps, uint64_t *range)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t i = 0; i < steps->nr; i++) {
		least = steps->list[i].time < least ? steps->list[i].time : least;
		most = steps->list[i].time > most ? steps->list[i].time : most;
	}
	*range = steps->nr ? (uint64_t)most - (uint64_t)least : 0;
	return (uint64_t)least;
}

/* One pass of a stable radix sort, by one digit of the time since @least. */
static void sort_by_digit(const struct step *list, size_t nr, struct step *sorted, uint64_t least,
			  unsigned int shift)
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

/*
 * Radix sort: the page of a run of hundreds of ranks sorts millions of steps eight times. Sorting them by
 * comparison took three times as long as everything else.
 */
void steps_sort(struct steps *steps)
{
	uint64_t range, least;
	struct step *other;

	if (steps->cells) {
		list_cells(steps);
		return;
	}
	least = least_time(steps, &range);
	other = range ? xcalloc(steps->nr, sizeof(*other)) : NULL;
	for (unsigned int shift = 0; shift < 64 && range >> shift; shift += DIGIT_BITS) {
		struct step *list = steps->list;

		sort_by_digit(list, steps->nr, other, least, shift);
		steps->list = other;
		other = list;
	}
	free(other);
}

void steps_even_out(struct steps *steps, int64_t least_ns)
{
	const int64_t last = steps->nr ? steps->list[steps->nr - 1].time : 0;
	int64_t begin = steps->nr ? steps->list[0].time : 0, before = begin;
	struct steps even = { 0 };
	double now = 0, integral = 0;

	if (least_ns <= 0)
		return;
	for (size_t i = 0; i < steps->nr; i++) {
		while (before < steps->list[i].time) {
			int64_t end = last - begin < 2 * least_ns ? last : begin + least_ns;
			int64_t time = steps->list[i].time < end ? steps->list[i].time : end;

			integral += now * (double)(time - before);
			before = time;
			if (time < end)
				continue;
			steps_add(&even, begin, end, integral / (double)(end - begin));
			integral = 0;
			begin = end;
		}
		now += steps->list[i].by;
	}
	steps_release(steps);
	*steps = even;
}

void curve_init(struct curve *curve, size_t nr_numbers)
{
	*curve = (struct curve){ .nr_numbers = nr_numbers };
}

void curve_release(struct curve *curve)
{
	free(curve->times);
	free(curve->numbers);
}

void curve_add(struct curve *curve, int64_t time, const double *numbers)
{
	size_t bytes = curve->nr_numbers * sizeof(*numbers);

	if (curve->nr && time <= curve->times[curve->nr - 1])
		return;
	curve->times = xgrow(curve->times, curve->nr, sizeof(*curve->times));
	curve->numbers = xgrow(curve->numbers, curve->nr, bytes);
	curve->times[curve->nr] = time;
	memcpy(curve->numbers + curve->nr++ * curve->nr_numbers, numbers, bytes);
}

size_t curve_find(const struct curve *curve, int64_t time)
{
	return PARTITION_POINT(i, curve->nr, curve->times[i] <= time);
}

/* As curve_find(), fast for a time near the last one. */
static size_t find_near(struct curve *curve, int64_t time)
{
	size_t low = curve->near, high = curve->near, step = 1;

	for (; high < curve->nr && curve->times[high] <= time; step *= 2) {
		low = high + 1;
		high = high + step < curve->nr ? high + step : curve->nr;
	}
	for (; low && curve->times[low - 1] > time; step *= 2) {
		high = low - 1;
		low = low > step ? low - step : 0;
	}
	return curve->near = low + PARTITION_POINT(i, high - low, curve->times[low + i] <= time);
}

void curve_at(struct curve *curve, int64_t time, double *numbers)
{
	size_t after = find_near(curve, time), low = after ? after - 1 : 0;
	const double *here;
	double share;

	here = curve->numbers + low * curve->nr_numbers;
	if (time <= curve->times[low] || low + 1 == curve->nr) {
		memcpy(numbers, here, curve->nr_numbers * sizeof(*numbers));
		return;
	}
	share = (double)(time - curve->times[low]) / (double)(curve->times[low + 1] - curve->times[low]);
	for (size_t i = 0; i < curve->nr_numbers; i++)
		numbers[i] = here[i] + share * (here[i + curve->nr_numbers] - here[i]);
}
