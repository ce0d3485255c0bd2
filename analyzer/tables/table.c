/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables: their columns, their rows in memory, and the keys of pstats' sort_stats(), which --sort takes
 * after the names of columns.
 */
#include "analyzer/tables/table.h"

#include <string.h>

const struct column *table_find_column(const struct table *table, const char *name, size_t length)
{
	for (size_t i = 0; i < table->nr_columns; i++)
		if (strlen(table->columns[i].name) == length &&
		    memcmp(table->columns[i].name, name, length) == 0)
			return &table->columns[i];
	return NULL;
}

bool table_next_row(struct table *table, void *row)
{
	const struct table_rows *source = table->source;

	if (table->at == source->nr_rows) {
		table->at = 0;
		return false;
	}
	memcpy(row, (const char *)source->rows + table->at++ * table->row_bytes, table->row_bytes);
	return true;
}

static const struct sort_key {
	const char *key;
	const char *column;
} sort_keys[] = {
	{ "ncalls",     "calls" },
	{ "pcalls",     "primitive_calls" },
	{ "time",       "self_ns" },
	{ "tottime",    "self_ns" },
	{ "cumtime",    "total_ns" },
	{ "cumulative", "total_ns" },
	{ "filename",   "file" },
	{ "name",       "function" },
	{ "nfl",        "function" },
	{ "stdname",    "file" },
};

const struct column *sort_column(const struct table *table, const char *name)
{
	const struct column *column = table_find_column(table, name, strlen(name));

	for (size_t i = 0; !column && i < sizeof(sort_keys) / sizeof(*sort_keys); i++)
		if (strcmp(sort_keys[i].key, name) == 0)
			column = table_find_column(table, sort_keys[i].column, strlen(sort_keys[i].column));
	return column;
}
