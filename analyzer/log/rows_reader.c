/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of rows: checked, looked up by time. */
#include "analyzer/log/rows_reader.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"

_Static_assert(sizeof(struct log_rows) % 8 == 0 && sizeof(struct log_column) % 8 == 0,
	       "rows in a log are aligned");

static int read_head(struct rowset *rows, struct logfile *log, const struct log_extent *extent)
{
	struct log_rows head;
	uint64_t room = extent->bytes - sizeof(head);

	memcpy(&head, log->base + extent->offset, sizeof(head));
	if (head.nr_columns == 0 || head.nr_columns > room / sizeof(struct log_column) ||
	    head.head.record_bytes != (1 + (uint64_t)head.nr_columns) * sizeof(uint64_t))
		return -1;
	memcpy(rows->set, head.set, sizeof(rows->set) - 1);
	rows->nr_columns = head.nr_columns;
	rows->step = head.step;
	rows->interval_ns = head.interval_ns;
	rows->cost_ns = head.cost_ns;
	rows->first_cost_ns = head.first_cost_ns;
	rows->id = head.id;
	rows->columns = xcalloc(rows->nr_columns, sizeof(*rows->columns));
	memcpy(rows->columns, log->base + extent->offset + sizeof(head),
	       rows->nr_columns * sizeof(*rows->columns));
	for (uint32_t i = 0; i < rows->nr_columns; i++)
		rows->columns[i].name[sizeof(rows->columns[i].name) - 1] = '\0';
	return 0;
}

/*
 * The program thins rows in place, and a row may be half written, so ticks that do not rise are dropped. If
 * one row leaps ahead of those behind it, that row alone is dropped: else one damaged row would cost all
 * later ones.
 */
static void copy_rows(struct rowset *rows, const uint64_t *from, size_t nr)
{
	const size_t step = 1 + rows->nr_columns;

	for (size_t i = 0; i < nr; i++, from += step) {
		uint64_t last = rows->nr_rows ? rowset_ticks(rows, rows->nr_rows - 1) : 0;
		uint64_t ticks = from[0], next = i + 1 < nr ? from[step] : UINT64_MAX;

		if (ticks && !(next < ticks && next > last))
			rowset_add(rows, ticks, from + 1);
	}
}

static bool are_rising(const uint64_t *rows, size_t nr, size_t step)
{
	uint64_t last = 0;

	for (size_t i = 0; i < nr; last = rows[i++ * step])
		if (rows[i * step] <= last)
			return false;
	return true;
}

int rowset_read(struct rowset *rows, struct logfile *log, const struct log_extent *extent, bool is_live)
{
	uint64_t skip, step;
	const uint64_t *from;
	size_t nr;

	memset(rows, 0, sizeof(*rows));
	if (read_head(rows, log, extent) < 0) {
		logfile_damaged(log, extent->offset, "rows with impossible columns");
		return -1;
	}
	step = 1 + (uint64_t)rows->nr_columns;
	skip = sizeof(struct log_rows) + rows->nr_columns * sizeof(struct log_column);
	nr = extent->used_bytes > skip ? (extent->used_bytes - skip) / (step * sizeof(*from)) : 0;
	from = (const uint64_t *)(log->base + extent->offset + skip);
	if (is_live || !are_rising(from, nr, step)) {
		copy_rows(rows, from, nr);
		return 0;
	}
	rows->rows = from;
	rows->nr_rows = nr;
	return 0;
}

static void add_row(struct rowset *rows, uint64_t ticks, const uint64_t *values)
{
	const size_t step = 1 + rows->nr_columns;
	uint64_t *row;

	rows->rows = rows->own = xgrow(rows->own, rows->nr_rows, step * sizeof(*row));
	row = &rows->own[rows->nr_rows++ * step];
	row[0] = ticks;
	memcpy(row + 1, values, (step - 1) * sizeof(*row));
}

/* To append to rows that lie in the log, copy them. */
static void make_own(struct rowset *rows)
{
	struct rowset from = *rows;

	if (rows->own)
		return;
	rows->nr_rows = 0;
	for (size_t i = 0; i < from.nr_rows; i++)
		add_row(rows, rowset_ticks(&from, i), rowset_values(&from, i));
}

bool rowset_add(struct rowset *rows, uint64_t ticks, const uint64_t *values)
{
	if (rows->nr_rows && ticks <= rowset_ticks(rows, rows->nr_rows - 1))
		return false;
	make_own(rows);
	add_row(rows, ticks, values);
	return true;
}

bool rowset_join(struct rowset *rows, const struct rowset *more)
{
	size_t nr = rows->nr_columns;

	if (strcmp(rows->set, more->set) != 0 || rows->id != more->id || nr != more->nr_columns ||
	    memcmp(rows->columns, more->columns, nr * sizeof(*rows->columns)) != 0)
		return false;
	for (size_t i = 0; i < more->nr_rows; i++)
		rowset_add(rows, rowset_ticks(more, i), rowset_values(more, i));
	return true;
}

void rowset_clip(struct rowset *rows, uint64_t from_ticks, uint64_t to_ticks)
{
	const size_t step = 1 + (size_t)rows->nr_columns;
	size_t skip = 0;

	while (rows->nr_rows && rowset_ticks(rows, rows->nr_rows - 1) > to_ticks)
		rows->nr_rows--;
	while (skip < rows->nr_rows && rowset_ticks(rows, skip) < from_ticks)
		skip++;
	rows->nr_rows -= skip;
	if (rows->own)
		memmove(rows->own, rows->own + skip * step, rows->nr_rows * step * sizeof(*rows->own));
	else if (skip)
		rows->rows += skip * step;
}

void rowset_release(struct rowset *rows)
{
	free(rows->columns);
	free(rows->own);
}

bool rowset_is_of_machine(const struct rowset *rows)
{
	return strcmp(rows->set, "system") == 0 || strcmp(rows->set, "cores") == 0;
}

int rowset_column(const struct rowset *rows, const char *name)
{
	for (uint32_t i = 0; i < rows->nr_columns; i++)
		if (strcmp(rows->columns[i].name, name) == 0)
			return (int)i;
	return -1;
}

uint64_t rowset_first(const struct rowset *rows, const char *name)
{
	int column = rowset_column(rows, name);

	for (size_t row = 0; column >= 0 && row < rows->nr_rows; row++)
		if (rowset_value(rows, row, (uint32_t)column) != LOG_NONE)
			return rowset_value(rows, row, (uint32_t)column);
	return LOG_NONE;
}

uint64_t rowset_last(const struct rowset *rows, const char *name)
{
	int column = rowset_column(rows, name);

	for (size_t row = rows->nr_rows; column >= 0 && row-- > 0;)
		if (rowset_value(rows, row, (uint32_t)column) != LOG_NONE)
			return rowset_value(rows, row, (uint32_t)column);
	return LOG_NONE;
}

static bool is_at(const struct rowset *rows, size_t row, uint64_t ticks)
{
	return rowset_ticks(rows, row) <= ticks &&
	       (row + 1 == rows->nr_rows || ticks < rowset_ticks(rows, row + 1));
}

int64_t rowset_at(struct rowset *rows, uint64_t ticks)
{
	if (!rows->nr_rows || ticks < rowset_ticks(rows, 0))
		return -1;
	for (int ahead = 0; ahead < 2 && rows->last + (size_t)ahead < rows->nr_rows; ahead++)
		if (is_at(rows, rows->last + (size_t)ahead, ticks))
			return (int64_t)(rows->last += (size_t)ahead);
	rows->last = PARTITION_POINT(i, rows->nr_rows, rowset_ticks(rows, i) <= ticks) - 1;
	return (int64_t)rows->last;
}
