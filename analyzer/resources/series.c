/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resources over time, and the processes that use most of one. */
#include "analyzer/resources/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/curves.h"
#include "analyzer/base/error.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/resources/rate_bounds.h"

#define LATE_NS		100000000

enum unit series_unit(const struct log_column *column, bool rate)
{
	switch (column->unit) {
	case LOG_UNIT_BYTES:
		return rate ? UNIT_BYTES_RATE : UNIT_BYTES;
	case LOG_UNIT_NS:
		return rate ? UNIT_CORES : UNIT_NS;
	case LOG_UNIT_COUNT:
		return rate ? UNIT_COUNT_RATE : UNIT_COUNT;
	case LOG_UNIT_WAIT_NS:
		return rate ? UNIT_PERCENT : UNIT_NS;
	case LOG_UNIT_PERCENT:
		return UNIT_PERCENT;
	}
	return UNIT_NONE;
}

enum unit series_slope_unit(enum unit unit)
{
	return unit == UNIT_BYTES ? UNIT_BYTES_RATE : unit == UNIT_COUNT ? UNIT_COUNT_RATE : UNIT_NONE;
}

/* Factor from a difference of readings, divided by ns, to a rate in its unit. */
static double rate_scale(const struct log_column *column)
{
	switch (column->unit) {
	case LOG_UNIT_NS:
		return 1;
	case LOG_UNIT_WAIT_NS:
		return 100;
	case LOG_UNIT_MILLI:
		return 1e6;
	default:
		return 1e9;
	}
}

double series_value(const struct log_column *column, uint64_t value)
{
	double real;

	if (column->unit == LOG_UNIT_REAL) {
		memcpy(&real, &value, sizeof(real));
		return real;
	}
	return column->unit == LOG_UNIT_MILLI ? (double)value / 1000 : (double)value;
}

static double place(const struct model *model, int64_t time)
{
	return model->to > model->from ? (double)(time - model->from) / (double)(model->to - model->from) : 0;
}

static void note_peak(struct series *series, double value, int64_t time)
{
	if (!(series->peak >= value)) {
		series->peak = value;
		series->peak_time = time;
	}
	if (!(series->min <= value))
		series->min = value;
}

/* Fit of a straight line. Its sums are kept as means, so that they stay exact. */
struct slope {
	double nr;
	double mean_time, mean_value;
	double time_squares, products;
};

static void add_to_slope(struct slope *slope, double time_s, double value)
{
	double step = time_s - slope->mean_time;

	slope->nr++;
	slope->mean_time += step / slope->nr;
	slope->mean_value += (value - slope->mean_value) / slope->nr;
	slope->time_squares += step * (time_s - slope->mean_time);
	slope->products += step * (value - slope->mean_value);
}

static double slope_of(const struct slope *slope)
{
	return slope->time_squares > 0 ? slope->products / slope->time_squares : NAN;
}

/*
 * The standard error of the slope, from how far readings are off the line. A reading resembles the one
 * before it, so all of them are worth only (1 - r) / (1 + r) as many independent ones; r is the correlation
 * of neighbours.
 */
static double slope_error(const struct slope *slope, struct process *process, const struct rowset *rows,
			  uint32_t column)
{
	double squares = 0, neighbours = 0, before = NAN, r;

	if (slope->nr < 10 || !(slope->time_squares > 0))
		return NAN;
	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, column);
		double time_s = (double)row_time(process, rows, row) / 1e9, off;

		if (raw == LOG_NONE)
			continue;
		off = series_value(&rows->columns[column], raw) - slope->mean_value -
		      slope_of(slope) * (time_s - slope->mean_time);
		squares += off * off;
		if (!isnan(before))
			neighbours += off * before;
		before = off;
	}
	r = squares > 0 ? fmin(fmax(neighbours / squares, 0), 0.999) : 0;
	return sqrt(squares / (slope->nr - 2) / slope->time_squares * (1 + r) / (1 - r));
}

/*
 * From when the first reading of a process holds. The process may have been idle for long before it, and
 * smaller.
 */
static int64_t first_from(const struct process *process, int64_t time)
{
	return time - process->start <= LATE_NS ? process->start : time;
}

/* Readings are not evenly spaced: an idle process has fewer. */
static void read_gauge(struct series *series, const struct model *model, struct process *process,
		       const struct rowset *rows, uint32_t column)
{
	struct slope slope = { 0 };
	int64_t first_time = 0, before_time = 0;
	double sum = 0;

	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, column);
		int64_t time = row_time(process, rows, row);
		double value = series_value(&rows->columns[column], raw);

		if (raw == LOG_NONE)
			continue;
		series->nr_readings++;
		if (series->sum) {
			steps_add(series->sum, series->known ? before_time : first_from(process, time), time,
				    series->known ? series->last : value);
		} else {
			add_to_slope(&slope, (double)time / 1e9, value);
			note_peak(series, value, time);
			sparkline_add(&series->line, place(model, time), value);
		}
		if (!series->known)
			first_time = time;
		else
			sum += (series->last + value) / 2 * (double)(time - before_time);
		series->last_time = before_time = time;
		series->last = value;
		series->known = true;
	}
	series->mean = before_time > first_time ? sum / (double)(before_time - first_time) : series->last;
	series->slope = slope_of(&slope);
	series->slope_error = slope_error(&slope, process, rows, column);
}

/* Enter @value in every step of the line that this time touches. */
static void hold(struct series *series, const struct model *model, int64_t from, int64_t to, double value)
{
	double step = 1 / (double)series->line.nr_steps;
	double last = place(model, to);

	for (double at = place(model, from); at < last; at += step)
		sparkline_add(&series->line, at, value);
	sparkline_add(&series->line, nextafter(last, 0), value);
	note_peak(series, value, to);
}

/* A rate holds for the whole time between two readings. */
static void add_rate(struct series *series, const struct model *model, int64_t from, int64_t to, double rate)
{
	if (series->sum)
		steps_add(series->sum, from, to, rate);
	else
		hold(series, model, from, to, rate);
}

/* Counters that began before the process did. */
static bool is_older(const struct rowset *rows, uint32_t column)
{
	return rowset_is_of_machine(rows) || strcmp(rows->set, "cgroup") == 0 ||
	       strncmp(rows->columns[column].name, "netns_", 6) == 0;
}

/* Two readings closer than half of the sampling interval make no rate: it would be noise. */
static void read_rate(struct series *series, const struct model *model, struct process *process,
		      const struct rowset *rows, uint32_t column)
{
	int64_t shortest = (int64_t)(rows->interval_ns / 2), first_time = 0, before_time = 0;
	uint64_t first = LOG_NONE, before = LOG_NONE, last = LOG_NONE;
	double scale = rate_scale(&rows->columns[column]);
	struct rate_bounds bounds;
	size_t first_row = 0, before_row = 0;

	rate_bounds_find(&bounds, process, rows, column);
	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, column);
		int64_t time = row_time(process, rows, row);

		if (raw == LOG_NONE)
			continue;
		last = raw;
		series->last_time = time;
		if (first == LOG_NONE) {
			first = raw;
			first_time = time;
			first_row = row;
		} else if (time <= before_time || time - before_time < shortest) {
			continue;
		} else if (raw >= before) {
			add_rate(series, model, before_time, time,
				 rate_bounded(&bounds, before_row, row, time - before_time,
					      scale * (double)(raw - before) / (double)(time - before_time)));
			series->known = true;
			series->mean = rate_bounded(&bounds, first_row, row, time - first_time,
						    scale * ((double)raw - (double)first) /
							    (double)(time - first_time));
		}
		before = raw;
		before_time = time;
		before_row = row;
	}
	/*
	 * what a process used since its start; for counters that are older, or from a later time on: since
	 * the first reading
	 */
	if (last != LOG_NONE)
		series->last = series_value(&rows->columns[column],
					    is_older(rows, column) || model->from > 0 ? last - first : last);
}

/*
 * As series_of_column(). Unless @steps is NULL, the readings are added to these instead, and neither line,
 * slope nor peak is known.
 */
static void read_series(struct series *series, const struct model *model, struct process *process,
			const struct rowset *rows, uint32_t column, size_t nr_steps, struct steps *steps)
{
	bool rate = rows->columns[column].kind == LOG_CUMULATIVE;

	*series = (struct series){
		.unit = series_unit(&rows->columns[column], rate),
		.last_unit = series_unit(&rows->columns[column], false),
		.min = NAN, .mean = NAN, .peak = NAN, .last = NAN, .slope = NAN, .slope_error = NAN,
		.sum = steps,
	};
	sparkline_init(&series->line, nr_steps);
	(rate ? read_rate : read_gauge)(series, model, process, rows, column);
}

void series_of_column(struct series *series, const struct model *model, struct process *process,
		      const struct rowset *rows, uint32_t column, size_t nr_steps)
{
	read_series(series, model, process, rows, column, nr_steps, NULL);
}

/*
 * Whether the process goes on in another image. The kernel's counters continue through an exec, so those of
 * the next image include this one's. @of_cpu: the usage of the next image is enough
 */
static bool goes_on(const struct process *process, const char *set, bool of_cpu)
{
	const struct process *next = process_next_image(process);
	const struct rowset *rows = next ? process_rowset(next, set) : NULL;

	return (rows && rows->nr_rows) || (of_cpu && next && !isnan(usage_of_process(next).cpu_ns));
}

/* CPU time of a process before its first reading. Not for I/O, which by then was partly the recorder's. */
static void add_begin(struct steps *steps, struct process *process, const struct rowset *rows,
		      uint32_t column, double most)
{
	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, column);
		int64_t passed = row_time(process, rows, row) - process->start;

		if (raw != LOG_NONE && passed > 0)
			steps_add(steps, process->start, process->start + passed,
				  fmin((double)raw / (double)passed, most));
		if (raw != LOG_NONE)
			return;
	}
}

/*
 * The CPU time of a process after its last reading. Numbers known from the end of a process belong to its
 * last image. Return: its use in all
 */
static double add_end(struct steps *steps, const struct process *process, const struct series *one,
		      double most)
{
	double cpu_ns = process_next_image(process) ? one->last : usage_of_process(process).cpu_ns;
	double rate = (cpu_ns - one->last) / (double)(process->last - one->last_time);

	steps_add(steps, one->last_time, process->last, fmin(rate, most));
	return fmax(cpu_ns, one->last);
}

/* Return: what it used in all; of a gauge, its last reading */
static double add_series(struct steps *steps, struct process *process, const struct rowset *rows,
			 uint32_t column, const struct series *one, bool of_cpu)
{
	struct rate_bounds bounds;

	if (rows->columns[column].kind != LOG_CUMULATIVE)
		steps_add(steps, one->last_time, process->last, one->last);
	if (!of_cpu || isnan(one->last))
		return one->last;
	rate_bounds_find(&bounds, process, rows, column);
	add_begin(steps, process, rows, column, bounds.most);
	return add_end(steps, process, one, bounds.most);
}

/*
 * Readings come at times of each process's own, so the sum changes at any of them. @most: limit of the sum;
 * NAN: not known
 */
static void add_up(struct series *sum, const struct model *model, struct steps *steps, double most)
{
	int64_t before = model->from;
	double now = 0, integral = 0;

	sum->min = sum->mean = sum->peak = sum->slope = sum->slope_error = NAN;
	for (size_t i = 0; i < sum->line.nr_steps; i++)
		sum->line.steps[i] = NAN;
	for (size_t i = 0; i <= steps->nr; i++) {
		int64_t time =
			i < steps->nr && steps->list[i].time < model->to ? steps->list[i].time : model->to;
		double value = fmin(fmax(now, 0), most);

		if (time > before) {
			hold(sum, model, before, time, value);
			integral += value * (double)(time - before);
			before = time;
		}
		if (i < steps->nr)
			now += steps->list[i].by;
	}
	if (model->to > model->from)
		sum->mean = integral / (double)(model->to - model->from);
}

/* Processes together had at least the peak of each, which evening out the sum may have lowered. */
static void raise_peak(struct series *sum, const struct model *model, const char *set, const char *column)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];
		const struct rowset *rows = process_rowset(process, set);
		int index = rows ? rowset_column(rows, column) : -1;
		struct series one;

		if (index < 0)
			continue;
		series_of_column(&one, model, process, rows, (uint32_t)index, 1);
		if (one.peak > sum->peak) {
			sum->peak = one.peak;
			sum->peak_time = one.peak_time;
		}
		series_release(&one);
	}
}

void series_of_all(struct series *series, const struct model *model, const char *set, const char *column,
		   size_t nr_steps)
{
	struct steps steps = { .from = model->from, .to = model->to };
	struct process *only = NULL;
	double last = 0, most = NAN;	/* last: of all processes, including those too short for a rate */
	int64_t least_ns = 0;
	bool of_cpu = strcmp(set, "process") == 0 && strcmp(column, "cpu_ns") == 0 && model->from == 0 &&
		      model->to >= model->end;
	size_t nr = 0, nr_short = 0;

	*series = (struct series){ .known = false };
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];
		struct rowset *rows = process_rowset(process, set);
		int index = rows ? rowset_column(rows, column) : -1;
		struct series one = { .last_time = process->start };
		double used = NAN;

		if (index >= 0) {
			read_series(&one, model, process, rows, (uint32_t)index, nr_steps, &steps);
			if (rows->columns[index].kind == LOG_CUMULATIVE &&
			    (int64_t)rows->interval_ns > least_ns)
				least_ns = (int64_t)rows->interval_ns;
			used = add_series(&steps, process, rows, (uint32_t)index, &one, of_cpu);
		} else if (of_cpu) {
			used = add_end(&steps, process, &one, 1);
		}
		if (!isnan(used) && !goes_on(process, set, of_cpu))
			last += used;
		nr_short += !one.known && !isnan(used);
		if (one.known && !nr++) {
			*series = one;
			most = rate_most_of_all(process, rows, (uint32_t)index);
			only = process;
		} else {
			series_release(&one);
		}
	}
	if (nr == 1 && nr_short == 0) {
		struct rowset *rows = process_rowset(only, set);

		series_release(series);
		read_series(series, model, only, rows, (uint32_t)rowset_column(rows, column), nr_steps, NULL);
	}
	if (nr && nr + nr_short > 1) {
		steps_sort(&steps);
		steps_even_out(&steps, least_ns);
		add_up(series, model, &steps, most);
		raise_peak(series, model, set, column);
		if (of_cpu && model->end > 0)
			series->mean = last / (double)model->end;
	}
	steps_release(&steps);
	series->last = last;
}

void series_release(struct series *series)
{
	sparkline_release(&series->line);
}

struct candidate {
	struct process *process;
	size_t order;
	double used;	/* -1: not known */
};

static double used(const struct process *process, const char *name)
{
	const struct rowset *rows = process_rowset(process, "process");
	int column = rows ? rowset_column(rows, name) : -1;
	double least = INFINITY, most = -1;

	for (size_t i = 0; column >= 0 && i < rows->nr_rows; i++) {
		uint64_t value = rowset_value(rows, i, (uint32_t)column);

		if (value == LOG_NONE)
			continue;
		least = fmin(least, series_value(&rows->columns[column], value));
		most = fmax(most, series_value(&rows->columns[column], value));
	}
	return most >= 0 && rows->columns[column].kind == LOG_CUMULATIVE ? most - least : most;
}

static int most_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->used != y->used)
		return x->used < y->used ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

size_t busiest_processes(const struct model *model, const char *column, struct process **busiest, size_t max)
{
	struct candidate *candidates = xcalloc(model->nr_processes + 1, sizeof(*candidates));
	size_t nr = 0;

	for (; nr < model->nr_processes; nr++)
		candidates[nr] =
			(struct candidate){ model->processes[nr], nr, used(model->processes[nr], column) };
	qsort(candidates, nr, sizeof(*candidates), most_first);
	if (nr > max)
		nr = max;
	for (size_t i = 0; i < nr; i++)
		busiest[i] = candidates[i].process;
	free(candidates);
	return nr;
}
