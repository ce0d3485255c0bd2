/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of pstats' sort_stats(). A table's own column goes first: "calls", "line", "module". */
#include "analyzer/tables/sort_keys.h"

#include <string.h>

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
