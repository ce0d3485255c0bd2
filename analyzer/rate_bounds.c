/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of rates: what a column is a part of, and how many processors there are. */
#include "rate_bounds.h"

#include <math.h>
#include <string.h>

/* Parts of what is counted exactly. */
static const struct { const char *part, *whole; } parts[] = {
	{ "user_ns", "cpu_ns" },
	{ "system_ns", "cpu_ns" },
};

static int whole_of(const struct rowset *rows, const char *column)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (strcmp(column, parts[i].part) == 0)
			return rowset_column(rows, parts[i].whole);
	return -1;
}

/* Idle or not, time passes on each: over all rows steps matter little. */
static double nr_processors(struct process *process)
{
	const struct rowset *rows = process_rowset(process, "system");
	int total = rows ? rowset_column(rows, "system_cpu_total_ns") : -1;
	size_t last = rows && rows->nr_rows ? rows->nr_rows - 1 : 0;
	uint64_t first_ns, last_ns;
	int64_t passed_ns;

	if (total < 0 || !last)
		return NAN;
	first_ns = rowset_value(rows, 0, (uint32_t)total);
	last_ns = rowset_value(rows, last, (uint32_t)total);
	passed_ns = process_time(process, rows->ticks[last]) - process_time(process, rows->ticks[0]);
	if (first_ns == LOG_NONE || last_ns == LOG_NONE || last_ns <= first_ns || passed_ns <= 0)
		return NAN;
	return fmax(1, round((double)(last_ns - first_ns) / (double)passed_ns));
}

void rate_bounds_find(struct rate_bounds *bounds, struct process *process, const struct rowset *rows, uint32_t column)
{
	bool is_system = strcmp(rows->set, "system") == 0, is_time = rows->columns[column].unit == LOG_UNIT_NS;

	*bounds = (struct rate_bounds){ .rows = rows, .whole = whole_of(rows, rows->columns[column].name), .most = NAN };
	if (strcmp(rows->set, "cores") == 0)
		bounds->most = 1;
	else if (is_system && rows->columns[column].unit == LOG_UNIT_WAIT_NS)
		bounds->most = 100;
	else if (is_time && (is_system || strcmp(rows->set, "cgroup") == 0))
		bounds->most = nr_processors(process);
}

double rate_bounded(const struct rate_bounds *bounds, size_t from, size_t to, int64_t passed_ns, double rate)
{
	const struct rowset *rows = bounds->rows;
	uint64_t before, after;

	rate = fmin(rate, bounds->most);
	if (bounds->whole < 0)
		return rate;
	before = rowset_value(rows, from, (uint32_t)bounds->whole);
	after = rowset_value(rows, to, (uint32_t)bounds->whole);
	if (before == LOG_NONE || after == LOG_NONE || after < before)
		return rate;
	return fmin(rate, (double)(after - before) / (double)passed_ns);
}
