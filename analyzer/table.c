/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values and columns of tables. */
#include "table.h"

#include <math.h>
#include <string.h>

struct value value_empty(void)
{
	return (struct value){ .type = VALUE_EMPTY };
}

struct value value_text(const char *text)
{
	return text ? (struct value){ .type = VALUE_TEXT, .text = text } : value_empty();
}

struct value value_integer(enum unit unit, int64_t number)
{
	return (struct value){ .type = VALUE_INTEGER, .unit = unit, .integer = number };
}

struct value value_real(enum unit unit, double number)
{
	if (!isfinite(number))
		return value_empty();
	return (struct value){ .type = VALUE_REAL, .unit = unit, .real = number };
}

const struct column *table_find_column(const struct table *table, const char *name, size_t length)
{
	for (size_t i = 0; i < table->nr_columns; i++)
		if (strlen(table->columns[i].name) == length && memcmp(table->columns[i].name, name, length) == 0)
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
