/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A view of one table is that table; one of several is the long form: section,row,column,value.
 * '.' is the decimal point in every locale; lines end as they do on Unix.
 */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "csv_line.h"
#include "rows.h"

static void print_wide(FILE *out, struct rows *rows)
{
	struct csv_line line = { 0 };
	const void *row;

	for (size_t i = 0; i < rows->nr_columns; i++) {
		csv_add_text(&line, i ? "," : "");
		csv_add_text(&line, rows->columns[i]->name);
	}
	csv_end_line(&line, out);
	while ((row = rows_next(rows)) != NULL) {
		for (size_t i = 0; i < rows->nr_columns; i++) {
			if (i)
				csv_add_char(&line, ',');
			csv_add_value(&line, rows_value(rows, i, row));
		}
		csv_end_line(&line, out);
	}
	csv_line_release(&line);
}

static void print_long(FILE *out, struct rows *rows)
{
	struct csv_line line = { 0 };
	const void *row;

	for (int64_t nr = 1; (row = rows_next(rows)) != NULL; nr++)
		for (size_t i = 0; i < rows->nr_columns; i++) {
			csv_add_text(&line, rows->table->name);
			csv_add_char(&line, ',');
			csv_add_integer(&line, nr);
			csv_add_char(&line, ',');
			csv_add_text(&line, rows->columns[i]->name);
			csv_add_char(&line, ',');
			csv_add_value(&line, rows_value(rows, i, row));
			csv_end_line(&line, out);
		}
	csv_line_release(&line);
}

void format_csv(FILE *out, struct document *document, const struct options *options)
{
	size_t nr_tables = document_tables(document, IN_CSV);

	if (nr_tables > 1)
		fputs("section,row,column,value\n", out);
	for (size_t i = 0; i < document->nr_sections; i++) {
		struct table *table = document->sections[i].table;
		struct rows rows;

		if (!table || !(table->formats & IN_CSV))
			continue;
		rows_open(&rows, table, options, false);
		(nr_tables > 1 ? print_long : print_wide)(out, &rows);
		rows_close(&rows);
	}
}
