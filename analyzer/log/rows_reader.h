/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of one set: resource samples over time, copied from the log, in the order of time. */
#ifndef INSIDEME_ROWS_READER_H
#define INSIDEME_ROWS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insideme_log.h"

struct logfile;
struct log_extent;

struct rowset {
	char set[24];			/* as the log's writer called it: "process", "system", ... */
	uint32_t id;			/* which of several: a tid, a device; 0: there is one */
	struct log_column *columns;	/* names end with a 0 */
	uint32_t nr_columns;
	uint32_t step;			/* every how many-th sample was kept */
	uint64_t interval_ns;		/* between samples; between rows: times step */
	uint64_t cost_ns;		/* median cost of one row, 0: not measured */
	uint64_t first_cost_ns;		/* of the first */
	size_t nr_rows;
	uint64_t *ticks;		/* [row], rising */
	uint64_t *values;		/* [row * nr_columns + column]; LOG_NONE: could not be read */
	size_t last;			/* hint of rowset_at() */
};

/* Copy a LOG_AREA_ROWS area. Return: 0, or -1 when its head is not sound (counted as damage). */
int rowset_read(struct rowset *rows, struct logfile *log, const struct log_extent *extent);
void rowset_release(struct rowset *rows);
/* Append the rows of the set's next area. Return: false, and nothing done, if it is another set, id, or differs in columns. */
bool rowset_join(struct rowset *rows, const struct rowset *more);

/* Drop rows outside of [@from_ticks, @to_ticks]. */
void rowset_clip(struct rowset *rows, uint64_t from_ticks, uint64_t to_ticks);

/* What the machine did, whoever looked. */
bool rowset_is_of_machine(const struct rowset *rows);

/* Index of a column by name, or -1. */
int rowset_column(const struct rowset *rows, const char *name);

static inline uint64_t rowset_value(const struct rowset *rows, size_t row, uint32_t column)
{
	return rows->values[row * rows->nr_columns + column];
}

/* The newest row at or before @ticks, or -1. Fast when called with ticks that change little. */
int64_t rowset_at(struct rowset *rows, uint64_t ticks);

#endif
