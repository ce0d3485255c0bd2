/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One resource over time: figures and a curve, of one process or added up over all that have it. */
#ifndef INSIDEME_SERIES_H
#define INSIDEME_SERIES_H

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/model/model.h"

/* Of a gauge: its size. Of a cumulative column: its rate per second (of NS: cores), and its total. */
struct series {
	bool known;		/* there was at least one reading (cumulative: two) */
	enum unit unit;		/* of min, mean and peak */
	double min;		/* NAN: not known */
	double mean;
	double peak;
	double slope;		/* of a gauge, per second: of the straight line that fits its readings best; NAN: not known */
	double slope_error;	/* its standard error, of readings that depend on those before them; NAN: not known */
	int64_t peak_time;	/* model time */
	double last;		/* the last reading; cumulative: the total */
	enum unit last_unit;
	size_t nr_readings;	/* of a gauge: rows that tell it */
	int64_t last_time;	/* model time of the last row that tells it */
	struct sparkline line;	/* from model->from to model->to */
	struct steps *sum;	/* series.c's own: what goes into a sum, too */
};

/* Column @column of @rows of @process. */
void series_of_column(struct series *series, const struct model *model, struct process *process,
		      const struct rowset *rows, uint32_t column, size_t nr_steps);
/* A column by names, added up over all processes that have it. */
void series_of_all(struct series *series, const struct model *model, const char *set, const char *column,
		   size_t nr_steps);
void series_release(struct series *series);

enum unit series_unit(const struct log_column *column, bool rate);
/* A reading in its column's unit. */
double series_value(const struct log_column *column, uint64_t value);
/* The slope's unit: per second. */
enum unit series_slope_unit(enum unit unit);

/*
 * At most @max processes, those first whose readings of a column of the set "process" are highest; of a column that
 * only grows: grew most. Processes that have none come last, in their order. Return: how many are in @busiest.
 */
size_t busiest_processes(const struct model *model, const char *column, struct process **busiest, size_t max);

#endif
