/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resources over time, and the processes that use most of one. */
#include "analyzer/resources/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/curves.h"
#include "analyzer/base/error.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/resources/cpu_steps.h"
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

/* The rows of a set of @process. */
struct timed_rows {
	struct process *process;
	const struct rowset *rows;
	int64_t *times;			/* [row], model time */
};

static void timed_rows_init(struct timed_rows *timed, struct process *process, const struct rowset *rows)
{
	*timed = (struct timed_rows){ process, rows, xcalloc(rows->nr_rows + 1, sizeof(*timed->times)) };
	for (size_t row = 0; row < rows->nr_rows; row++)
		timed->times[row] = row_time(process, rows, row);
}

static void timed_rows_release(struct timed_rows *timed)
{
	free(timed->times);
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
static double slope_error(const struct slope *slope, const struct timed_rows *timed, uint32_t column)
{
	const struct rowset *rows = timed->rows;
	double squares = 0, neighbours = 0, before = NAN, r;

	if (slope->nr < 10 || !(slope->time_squares > 0))
		return NAN;
	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, column);
		double time_s = (double)timed->times[row] / 1e9, off;

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
static void read_gauge(struct series *series, const struct model *model, const struct timed_rows *timed,
		       uint32_t column)
{
	const struct rowset *rows = timed->rows;
	struct slope slope = { 0 };
	int64_t first_time = 0, before_time = 0;
	double sum = 0;

	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, column);
		int64_t time = timed->times[row];
		double value = series_value(&rows->columns[column], raw);

		if (raw == LOG_NONE)
			continue;
		series->nr_readings++;
		note_peak(series, value, time);
		if (series->sum) {
			steps_add(series->sum, series->known ? before_time : first_from(timed->process, time),
				  time, series->known ? series->last : value);
		} else {
			add_to_slope(&slope, (double)time / 1e9, value);
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
	series->slope_error = slope_error(&slope, timed, column);
}

/* Enter @value in every step of the line that this time touches. */
static void hold(struct series *series, const struct model *model, int64_t from, int64_t to, double value)
{
	double step = 1 / (double)series->line.nr_steps;
	double last = place(model, to);

	for (double at = place(model, from); at < last; at += step)
		sparkline_add(&series->line, at, value);
	sparkline_add(&series->line, nextafter(last, 0), value);
}

/* A rate holds for the whole time between two readings. */
static void add_rate(struct series *series, const struct model *model, int64_t from, int64_t to, double rate)
{
	if (series->sum)
		steps_add(series->sum, from, to, rate);
	else
		hold(series, model, from, to, rate);
	note_peak(series, rate, to);
}

/* Counters that began before the process did. */
static bool is_older(const struct rowset *rows, uint32_t column)
{
	return rowset_is_of_machine(rows) || strcmp(rows->set, "cgroup") == 0 ||
	       strncmp(rows->columns[column].name, "netns_", 6) == 0;
}

/* Two readings closer than half of the sampling interval make no rate: it would be noise. */
static void read_rate(struct series *series, const struct model *model, const struct timed_rows *timed,
		      uint32_t column)
{
	const struct rowset *rows = timed->rows;
	int64_t shortest = (int64_t)(rows->interval_ns / 2), before_time = 0;
	uint64_t first = LOG_NONE, before = LOG_NONE, last = LOG_NONE;
	double scale = rate_scale(&rows->columns[column]);
	struct rate_bounds bounds;
	size_t first_row = 0, before_row = 0, end_row = 0;

	rate_bounds_find(&bounds, timed->process, rows, column);
	series->most = bounds.most;
	for (size_t row = 0; row < rows->nr_rows; row++) {
		uint64_t raw = rowset_value(rows, row, column);
		int64_t time = timed->times[row];

		if (raw == LOG_NONE)
			continue;
		last = raw;
		series->last_time = time;
		if (first == LOG_NONE) {
			first = raw;
			first_row = row;
		} else if (time <= before_time || time - before_time < shortest) {
			continue;
		} else if (raw >= before) {
			add_rate(series, model, before_time, time,
				 rate_bounded(&bounds, before_row, row, time - before_time,
					      scale * (double)(raw - before) / (double)(time - before_time)));
			end_row = row;
		}
		before = raw;
		before_time = time;
		before_row = row;
	}
	series->known = end_row > 0;
	if (series->known) {
		int64_t passed_ns = timed->times[end_row] - timed->times[first_row];
		double grown = (double)rowset_value(rows, end_row, column) - (double)first;

		series->mean = rate_bounded(&bounds, first_row, end_row, passed_ns,
					    scale * grown / (double)passed_ns);
	}
	/*
	 * what a process used since its start; for counters that are older, or from a later time on: since
	 * the first reading
	 */
	if (last != LOG_NONE)
		series->last = series_value(&rows->columns[column],
					    is_older(rows, column) || model->from > 0 ? last - first : last);
}

/* Unless @steps is NULL, the readings are added to these, and neither line nor slope is known. */
static void read_series(struct series *series, const struct model *model, const struct timed_rows *timed,
			uint32_t column, size_t nr_steps, struct steps *steps)
{
	const struct log_column *what = &timed->rows->columns[column];
	bool rate = what->kind == LOG_CUMULATIVE;

	*series = (struct series){
		.unit = series_unit(what, rate),
		.last_unit = series_unit(what, false),
		.min = NAN, .mean = NAN, .peak = NAN, .last = NAN, .slope = NAN, .slope_error = NAN,
		.most = NAN, .sum = steps,
	};
	sparkline_init(&series->line, nr_steps);
	(rate ? read_rate : read_gauge)(series, model, timed, column);
}

void series_of_column(struct series *series, const struct model *model, struct process *process,
		      const struct rowset *rows, uint32_t column, size_t nr_steps)
{
	struct timed_rows timed;

	timed_rows_init(&timed, process, rows);
	read_series(series, model, &timed, column, nr_steps, NULL);
	timed_rows_release(&timed);
}

/*
 * Whether the process goes on in another image. The kernel's counters continue through an exec, so those of
 * the next image include this one's. @of_cpu: the usage of the next image is enough
 */
static bool goes_on(const struct process *process, const char *set, bool of_cpu)
{
	struct process *next = process_next_image(process);
	const struct rowset *rows = next ? process_rowset(next, set) : NULL;

	return (rows && rows->nr_rows) || (of_cpu && next && !isnan(usage_of_process(next).cpu_ns));
}

/* Return: what it used in all; of a gauge, its last reading */
static double add_series(struct steps *steps, const struct timed_rows *timed, uint32_t column,
			 const struct series *one, bool of_cpu)
{
	if (timed->rows->columns[column].kind != LOG_CUMULATIVE)
		steps_add(steps, one->last_time, timed->process->last, one->last);
	if (!of_cpu || isnan(one->last))
		return one->last;
	cpu_steps_begin(steps, timed->process, timed->rows, timed->times, column, one->most);
	return cpu_steps_end(steps, timed->process, one->last_time, one->last, one->most);
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
			note_peak(sum, value, time);
			integral += value * (double)(time - before);
			before = time;
		}
		if (i < steps->nr)
			now += steps->list[i].by;
	}
	if (model->to > model->from)
		sum->mean = integral / (double)(model->to - model->from);
}

/* A column while it is added up over all processes. */
struct total {
	struct series *series;
	const struct model *model;
	const char *set, *column;
	size_t nr_steps;		/* of the line */
	bool of_cpu;
	struct steps steps;
	size_t nr, nr_short;		/* processes that have it; that have too few readings for a rate */
	struct process *only;		/* the first of the former */
	double last;			/* of both */
	double before;			/* of it: CPU time from before the run began */
	double most;			/* limit of the sum; NAN: not known */
	int64_t least_ns;		/* the longest interval between readings */
	double peak;			/* the highest one of a process; NAN: not known */
	int64_t peak_time;
};

static void note_process_peak(struct total *total, const struct series *one)
{
	if (isnan(one->peak) || total->peak >= one->peak)
		return;
	total->peak = one->peak;
	total->peak_time = one->peak_time;
}

/* @timed: the rows of its set; NULL: none */
static void add_process(struct total *total, struct process *process, const struct timed_rows *timed)
{
	int index = timed ? rowset_column(timed->rows, total->column) : -1;
	struct series one = { .last_time = process->start };
	double used = NAN;

	if (index >= 0) {
		const struct rowset *rows = timed->rows;

		read_series(&one, total->model, timed, (uint32_t)index, total->nr_steps, &total->steps);
		if (rows->columns[index].kind == LOG_CUMULATIVE &&
		    (int64_t)rows->interval_ns > total->least_ns)
			total->least_ns = (int64_t)rows->interval_ns;
		used = add_series(&total->steps, timed, (uint32_t)index, &one, total->of_cpu);
		note_process_peak(total, &one);
	} else if (total->of_cpu) {
		used = cpu_steps_unread(&total->steps, process);
	}
	if (!isnan(used) && !goes_on(process, total->set, total->of_cpu))
		total->last += used;
	if (total->of_cpu && index >= 0)
		total->before += rate_cpu_before_run_ns(process, timed->rows, (uint32_t)index);
	total->nr_short += !one.known && !isnan(used);
	if (one.known && !total->nr++) {
		*total->series = one;
		total->most = rate_most_of_all(process, timed->rows, (uint32_t)index);
		total->only = process;
	} else {
		series_release(&one);
	}
}

/* Processes together had at least the peak of each, which evening out the sum may have lowered. */
static void raise_peak(struct series *sum, const struct total *total)
{
	if (!(total->peak > sum->peak))
		return;
	sum->peak = total->peak;
	sum->peak_time = total->peak_time;
}

/* By all that was used. The kernel counts some of it after the run's end, and readings may be rare. */
static void set_mean(const struct total *total)
{
	struct series *sum = total->series;
	const double mean = fmax(total->last - total->before, 0) / (double)total->model->end;

	sum->mean = fmin(mean, total->nr + total->nr_short == 1 ? sum->most : total->most);
	sum->peak = fmax(sum->peak, sum->mean);
}

static void finish_total(struct total *total)
{
	const struct model *model = total->model;
	struct series *series = total->series;

	if (total->nr == 1 && total->nr_short == 0 && !total->of_cpu) {
		const struct rowset *rows = process_rowset(total->only, total->set);

		series_release(series);
		series_of_column(series, model, total->only, rows,
				 (uint32_t)rowset_column(rows, total->column), total->nr_steps);
	} else if (total->nr) {
		steps_sort(&total->steps);
		steps_even_out(&total->steps, total->least_ns);
		add_up(series, model, &total->steps, total->most);
		raise_peak(series, total);
		if (total->of_cpu && model->end > 0)
			set_mean(total);
	}
	steps_release(&total->steps);
	series->last = total->last;
}

void series_of_columns(struct series *series, const struct model *model, const char *set,
		       const struct series_columns *columns, size_t nr_steps)
{
	struct total *totals = xcalloc(columns->nr, sizeof(*totals));
	const bool is_whole = strcmp(set, "process") == 0 && model->from == 0 && model->to >= model->end;

	for (size_t i = 0; i < columns->nr; i++) {
		series[i] = (struct series){ .known = false };
		totals[i] = (struct total){
			.series = &series[i],
			.model = model,
			.set = set,
			.column = columns->names[i],
			.nr_steps = nr_steps,
			.of_cpu = is_whole && strcmp(columns->names[i], "cpu_ns") == 0,
			.steps = { .from = model->from, .to = model->to },
			.most = NAN,
			.peak = NAN,
		};
	}
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct rowset *rows = process_rowset(model->processes[i], set);
		struct timed_rows timed = { 0 };

		if (rows)
			timed_rows_init(&timed, model->processes[i], rows);
		for (size_t j = 0; j < columns->nr; j++)
			add_process(&totals[j], model->processes[i], rows ? &timed : NULL);
		timed_rows_release(&timed);
	}
	for (size_t i = 0; i < columns->nr; i++)
		finish_total(&totals[i]);
	free(totals);
}

void series_of_all(struct series *series, const struct model *model, const char *set, const char *column,
		   size_t nr_steps)
{
	series_of_columns(series, model, set, &(struct series_columns){ &column, 1 }, nr_steps);
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
