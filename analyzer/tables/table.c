/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables: their columns, their rows in memory, and the keys of pstats' sort_stats(), which --sort takes
 * after the names of columns.
 */
#include "analyzer/tables/table.h"

#include <stdlib.h>
#include <string.h>

const struct column *table_find_column(const struct table *table, const char *name, size_t length)
{
	for (size_t i = 0; i < table->nr_columns; i++)
		if (strlen(table->columns[i].name) == length &&
		    memcmp(table->columns[i].name, name, length) == 0)
			return &table->columns[i];
	return NULL;
}

bool table_next(struct table *table, void *row)
{
	const struct table_rows *rows = &table->rows;

	if (table->next)
		return table->next(table, row);
	if (table->at == rows->nr) {
		table->at = 0;
		return false;
	}
	memcpy(row, (const char *)rows->list + table->at++ * rows->row_bytes, rows->row_bytes);
	return true;
}

void table_rows_sort(struct table_rows *rows, int (*compare)(const void *a, const void *b))
{
	if (rows->nr)
		qsort((void *)rows->list, rows->nr, rows->row_bytes, compare);
}

struct value ns_cell(double ns)
{
	if (!isfinite(ns) || ns >= 0x1p63)
		return value_empty();
	return value_integer(UNIT_NS, ns > 0 ? (int64_t)(ns + 0.5) : 0);
}

struct value member_cell(const struct column *column, const void *row)
{
	const void *member = (const char *)row + (column->index & UINT32_MAX);
	const unsigned int unit = column->index >> 32 & 255;
	int64_t number = INT64_MIN;

	switch ((enum member_type)(column->index >> 48)) {
	case MEMBER_U64:	/* UINT64_MAX is -1 */
		number = *(const uint64_t *)member == UINT64_MAX ? INT64_MIN : *(const int64_t *)member;
		break;
	case MEMBER_I64:
		number = *(const int64_t *)member;
		break;
	case MEMBER_U32:
		number = *(const uint32_t *)member;
		break;
	case MEMBER_I32:
		number = *(const int32_t *)member;
		break;
	case MEMBER_BOOL:
		number = *(const bool *)member;
		break;
	case MEMBER_REAL:
		return value_real(unit, *(const double *)member);
	case MEMBER_NS_REAL:
		return ns_cell(*(const double *)member);
	case MEMBER_TEXT:
		return value_text(*(const char *const *)member);
	}
	if (number == INT64_MIN || (!number && column->index & (size_t)NOT_0 << 32))
		return value_empty();
	return value_integer(unit, number);
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
	{ "mem",        "alloc_bytes" },
	{ "peak",       "peak_heap_bytes" },
	{ "allocs",     "alloc_calls" },
	{ "io",         "io_chars" },
};

/* As in pstats, a key may be cut short: "cum" begins cumtime and cumulative, which are one column. */
const struct column *sort_column(const struct table *table, const char *name)
{
	const struct column *column = table_find_column(table, name, strlen(name));
	const char *begun = NULL;

	for (size_t i = 0; !column && *name && i < sizeof(sort_keys) / sizeof(*sort_keys); i++) {
		const struct sort_key *key = &sort_keys[i];

		if (strncmp(key->key, name, strlen(name)) != 0)
			continue;
		if (begun && strcmp(begun, key->column) != 0)
			return NULL;
		begun = key->column;
	}
	return begun ? table_find_column(table, begun, strlen(begun)) : column;
}
