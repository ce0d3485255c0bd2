/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A set of rows: samples of resources over time, copied from the log and sorted by time. A row here is one
 * reading of all columns of its set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"

struct logfile;
struct log_extent;

struct rowset {
	char set[24];			/* the writer's name for it: "process", "system", ... */
	/* distinguishes sets of one name: a tid, a device; 0: there is only one */
	uint32_t id;
	struct log_column *columns;	/* names end with a 0 */
	uint32_t nr_columns;
	uint32_t step;			/* the program kept every step-th sample */
	uint64_t interval_ns;		/* between samples; between rows it is step times as long */
	uint64_t cost_ns;		/* median cost of a row; 0: not measured */
	uint64_t first_cost_ns;		/* of the first row */
	size_t nr_rows;
	uint64_t *ticks;		/* [row], ascending */
	uint64_t *values;		/* [row * nr_columns + column]; LOG_NONE: could not be read */
	size_t last;			/* a hint for rowset_at() */
};

/* Copy a LOG_AREA_ROWS area. Return: 0; -1 if its head is not sound, which counts as damage */
int rowset_read(struct rowset *rows, struct logfile *log, const struct log_extent *extent);
void rowset_release(struct rowset *rows);
/*
 * Append the rows of the set's next area. Return: false, with nothing done, if its set, id or columns
 * differ
 */
bool rowset_join(struct rowset *rows, const struct rowset *more);

/* Drop the rows outside of [@from_ticks, @to_ticks]. */
void rowset_clip(struct rowset *rows, uint64_t from_ticks, uint64_t to_ticks);

/* Whether the set is about the machine, whichever process recorded it. */
bool rowset_is_of_machine(const struct rowset *rows);

/* The number of the column @name; -1 if there is none. */
int rowset_column(const struct rowset *rows, const char *name);

static inline uint64_t rowset_value(const struct rowset *rows, size_t row, uint32_t column)
{
	return rows->values[row * rows->nr_columns + column];
}

/* The last row at or before @ticks; -1 if there is none. Fast when @ticks changes little between calls. */
int64_t rowset_at(struct rowset *rows, uint64_t ticks);
