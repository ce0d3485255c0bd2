/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of rows: copied from the log, checked, looked up by time. */
#include "analyzer/log/rows_reader.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"

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

static uint64_t ticks_at(const struct logfile *log, uint64_t offset)
{
	uint64_t ticks;

	memcpy(&ticks, log->base + offset, sizeof(ticks));
	return ticks;
}

/*
 * The program thins rows in place, and a row may be half written, so ticks that do not rise are dropped. If
 * one row leaps ahead of those behind it, that row alone is dropped: else one damaged row would cost all
 * later ones.
 */
static void read_rows(struct rowset *rows, const struct logfile *log, uint64_t offset, uint64_t bytes)
{
	size_t row_bytes = (1 + rows->nr_columns) * sizeof(uint64_t), nr = bytes / row_bytes;
	uint64_t last = 0;

	rows->ticks = xcalloc(nr, sizeof(uint64_t));
	rows->values = xcalloc(nr * rows->nr_columns, sizeof(uint64_t));
	for (size_t i = 0; i < nr; i++) {
		uint64_t at = offset + i * row_bytes, ticks = ticks_at(log, at);
		uint64_t next = i + 1 < nr ? ticks_at(log, at + row_bytes) : UINT64_MAX;

		if (ticks <= last || (next < ticks && next > last))
			continue;
		rows->ticks[rows->nr_rows] = last = ticks;
		memcpy(&rows->values[rows->nr_rows++ * rows->nr_columns], log->base + at + sizeof(ticks),
		       row_bytes - sizeof(ticks));
	}
}

int rowset_read(struct rowset *rows, struct logfile *log, const struct log_extent *extent)
{
	uint64_t skip;

	memset(rows, 0, sizeof(*rows));
	if (read_head(rows, log, extent) < 0) {
		logfile_damaged(log, extent->offset, "rows with impossible columns");
		return -1;
	}
	skip = sizeof(struct log_rows) + rows->nr_columns * sizeof(struct log_column);
	if (extent->used_bytes > skip)
		read_rows(rows, log, extent->offset + skip, extent->used_bytes - skip);
	return 0;
}

/* Copy an array of @count things into one with room for @more. Frees the old array. */
static void *longer(void *array, size_t count, size_t more, size_t bytes)
{
	void *copy = xcalloc(count + more, bytes);

	if (count)
		memcpy(copy, array, count * bytes);
	free(array);
	return copy;
}

bool rowset_join(struct rowset *rows, const struct rowset *more)
{
	size_t nr = rows->nr_columns;

	if (strcmp(rows->set, more->set) != 0 || rows->id != more->id || nr != more->nr_columns ||
	    memcmp(rows->columns, more->columns, nr * sizeof(*rows->columns)) != 0)
		return false;
	rows->ticks = longer(rows->ticks, rows->nr_rows, more->nr_rows, sizeof(uint64_t));
	rows->values = longer(rows->values, rows->nr_rows, more->nr_rows, nr * sizeof(uint64_t));
	for (size_t i = 0; i < more->nr_rows; i++) {
		if (rows->nr_rows && more->ticks[i] <= rows->ticks[rows->nr_rows - 1])
			continue;
		rows->ticks[rows->nr_rows] = more->ticks[i];
		memcpy(&rows->values[rows->nr_rows++ * nr], &more->values[i * nr], nr * sizeof(uint64_t));
	}
	return true;
}

void rowset_clip(struct rowset *rows, uint64_t from_ticks, uint64_t to_ticks)
{
	size_t skip = 0;

	while (rows->nr_rows && rows->ticks[rows->nr_rows - 1] > to_ticks)
		rows->nr_rows--;
	while (skip < rows->nr_rows && rows->ticks[skip] < from_ticks)
		skip++;
	if (skip == 0)
		return;
	rows->nr_rows -= skip;
	memmove(rows->ticks, rows->ticks + skip, rows->nr_rows * sizeof(uint64_t));
	memmove(rows->values, rows->values + skip * rows->nr_columns,
		rows->nr_rows * rows->nr_columns * sizeof(uint64_t));
}

void rowset_release(struct rowset *rows)
{
	free(rows->columns);
	free(rows->ticks);
	free(rows->values);
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

static bool is_at(const struct rowset *rows, size_t row, uint64_t ticks)
{
	return rows->ticks[row] <= ticks && (row + 1 == rows->nr_rows || ticks < rows->ticks[row + 1]);
}

int64_t rowset_at(struct rowset *rows, uint64_t ticks)
{
	if (!rows->nr_rows || ticks < rows->ticks[0])
		return -1;
	for (int ahead = 0; ahead < 2 && rows->last + (size_t)ahead < rows->nr_rows; ahead++)
		if (is_at(rows, rows->last + (size_t)ahead, ticks))
			return (int64_t)(rows->last += (size_t)ahead);
	rows->last = PARTITION_POINT(i, rows->nr_rows, rows->ticks[i] <= ticks) - 1;
	return (int64_t)rows->last;
}
