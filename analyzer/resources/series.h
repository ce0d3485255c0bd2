/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One resource over time, as figures and a curve: of one process, or the sum of all that have it. */
#pragma once

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/model/model.h"

/* A gauge has its size here; a cumulative column its rate per second (times: cores), and its total. */
struct series {
	bool known;		/* there was at least one reading; for a rate, two */
	enum unit unit;		/* of min, mean and peak */
	double min;		/* NAN: not known */
	double mean;
	double peak;
	/* of a gauge, per second: of the straight line that fits its readings best; NAN: not known */
	double slope;
	/* its standard error, given that readings depend on earlier ones; NAN: not known */
	double slope_error;
	int64_t peak_time;	/* model time */
	double last;		/* the last reading; of a cumulative column, the total */
	enum unit last_unit;
	size_t nr_readings;	/* of a gauge: readings that have it */
	int64_t last_time;	/* model time of the last reading that has it */
	struct sparkline line;	/* from model->from to model->to */
	/* for series.c alone: the limit of a rate, and what its readings are added to */
	double most;
	struct steps *sum;
};

/* The column @column of the rows @rows of @process. */
void series_of_column(struct series *series, const struct model *model, struct process *process,
		      const struct rowset *rows, uint32_t column, size_t nr_steps);
/* Columns by name, each added up over all processes that have it, in one pass over these. */
struct series_columns {
	const char *const *names;
	size_t nr;
};
void series_of_columns(struct series *series, const struct model *model, const char *set,
		       const struct series_columns *columns, size_t nr_steps);
void series_of_all(struct series *series, const struct model *model, const char *set, const char *column,
		   size_t nr_steps);
void series_release(struct series *series);

enum unit series_unit(const struct log_column *column, bool rate);
/* A reading in the unit of its column. */
double series_value(const struct log_column *column, uint64_t value);
/* The unit of the slope: per second. */
enum unit series_slope_unit(enum unit unit);

/*
 * The processes that used most of a column of the set "process": of a gauge, with the highest reading; of a
 * cumulative column, the largest increase. Processes without readings come last, in their order. Return:
 * how many are in @busiest, at most @max
 */
size_t busiest_processes(const struct model *model, const char *column, struct process **busiest, size_t max);
