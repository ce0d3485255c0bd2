/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A set of rows: samples of resources over time, sorted by time. A row here is one reading of all columns
 * of its set. Rows stay in the mapped log, unless it is written meanwhile, or they had to be put together.
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
	/* of each row: ticks, which rise from row to row, and nr_columns values */
	const uint64_t *rows;
	uint64_t *own;			/* the same, allocated; NULL: it lies in the log */
	size_t last;			/* a hint for rowset_at() */
};

/*
 * Read a LOG_AREA_ROWS area, which lives as long as the log. @is_live: the program may write rows now, so
 * copy them. Return: 0; -1 if its head is not sound, which counts as damage
 */
int rowset_read(struct rowset *rows, struct logfile *log, const struct log_extent *extent, bool is_live);
void rowset_release(struct rowset *rows);
/* Append a row with values for all columns. Ticks that do not rise are dropped. Return: false then */
bool rowset_add(struct rowset *rows, uint64_t ticks, const uint64_t *values);
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
/* Its first and last reading that is known; LOG_NONE: there is none */
uint64_t rowset_first(const struct rowset *rows, const char *name);
uint64_t rowset_last(const struct rowset *rows, const char *name);

static inline uint64_t rowset_ticks(const struct rowset *rows, size_t row)
{
	return rows->rows[row * (1 + (size_t)rows->nr_columns)];
}

/* [nr_columns]; LOG_NONE: could not be read. */
static inline const uint64_t *rowset_values(const struct rowset *rows, size_t row)
{
	return &rows->rows[row * (1 + (size_t)rows->nr_columns) + 1];
}

static inline uint64_t rowset_value(const struct rowset *rows, size_t row, uint32_t column)
{
	return rowset_values(rows, row)[column];
}

/* The last row at or before @ticks; -1 if there is none. Fast when @ticks changes little between calls. */
int64_t rowset_at(struct rowset *rows, uint64_t ticks);
