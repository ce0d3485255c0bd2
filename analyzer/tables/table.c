/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows and columns of tables. */
#include "analyzer/tables/table.h"

#include <string.h>

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
