/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A view with one table is written as that table. A view with several is written in long form:
 * section,row,column,value. The decimal point is '.' in every locale; lines end with a newline.
 */
#include "analyzer/formats/formats.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/ask/table_select.h"
#include "analyzer/tables/table_text.h"

static void print_wide(FILE *out, struct rows *rows)
{
	struct row_text line = { 0 };
	const void *row;

	for (size_t i = 0; i < rows->nr_columns; i++) {
		if (i)
			row_add_delimiter(&line);
		row_add_csv(&line, value_text(rows->columns[i]->name));
	}
	row_end_csv(&line, out);
	while ((row = rows_next(rows)) != NULL) {
		for (size_t i = 0; i < rows->nr_columns; i++) {
			if (i)
				row_add_delimiter(&line);
			row_add_csv(&line, rows_value(rows, i, row));
		}
		row_end_csv(&line, out);
	}
	row_text_release(&line);
}

static void print_long(FILE *out, struct rows *rows)
{
	struct row_text line = { 0 };
	const void *row;

	for (int64_t nr = 1; (row = rows_next(rows)) != NULL; nr++)
		for (size_t i = 0; i < rows->nr_columns; i++) {
			row_add_csv(&line, value_text(rows->table->name));
			row_add_delimiter(&line);
			row_add_csv(&line, value_integer(UNIT_NONE, nr));
			row_add_delimiter(&line);
			row_add_csv(&line, value_text(rows->columns[i]->name));
			row_add_delimiter(&line);
			row_add_csv(&line, rows_value(rows, i, row));
			row_end_csv(&line, out);
		}
	row_text_release(&line);
}

static void print_titles(FILE *out)
{
	static const char *const titles[] = { "section", "row", "column", "value" };
	struct row_text line = { 0 };

	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++) {
		if (i)
			row_add_delimiter(&line);
		row_add_csv(&line, value_text(titles[i]));
	}
	row_end_csv(&line, out);
	row_text_release(&line);
}

void format_csv(FILE *out, struct document *document, const struct options *options)
{
	size_t nr_tables = document_tables(document, IN_CSV);

	if (nr_tables > 1)
		print_titles(out);
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
