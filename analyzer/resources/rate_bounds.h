/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The limits of rates. The kernel counts some CPU times in steps of its tick, and two files are not read at
 * the same instant. Over a short time, a counter may therefore rise by more than is possible.
 */
#pragma once

#include "analyzer/model/model.h"

struct rate_bounds {
	const struct rowset *rows;
	int whole;		/* the column that contains this one; < 0: none */
	double most;		/* in cores or percent; NAN: not known */
};

void rate_bounds_find(struct rate_bounds *bounds, struct process *process, const struct rowset *rows,
		      uint32_t column);

/* Limit @rate, in its column's unit, to what is possible from row @from to row @to, @passed_ns later. */
double rate_bounded(const struct rate_bounds *bounds, size_t from, size_t to, int64_t passed_ns, double rate);

/* Processors of the machine of @process; NAN: not known. */
double rate_nr_processors(struct process *process);
/* The limit of the rates of all processes together, in cores. NAN: not known. */
double rate_most_of_all(struct process *process, const struct rowset *rows, uint32_t column);
/*
 * CPU time from before the log of @process begins: that of exec and the dynamic linker, or before the process
 * was attached to. And how much of it is from before the run's begin. @column: cpu_ns
 */
double rate_cpu_before_ns(const struct process *process, const struct rowset *rows, uint32_t column);
double rate_cpu_before_run_ns(const struct process *process, const struct rowset *rows, uint32_t column);
