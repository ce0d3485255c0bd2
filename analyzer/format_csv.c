/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quoting as in RFC 4180. A view of one table is that table; one of several is the long form: section,row,column,value.
 * '.' is the decimal point in every locale; lines end as they do on Unix.
 */
#include "formats.h"

#include <inttypes.h>
#include <string.h>

#include "rows.h"

static void print_quoted(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs_unlocked(text, out);
		return;
	}
	putc_unlocked('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc_unlocked('"', out);
		putc_unlocked(*text, out);
	}
	putc_unlocked('"', out);
}

static void print_integer(FILE *out, int64_t number)
{
	char digits[24], *p = digits + sizeof(digits);
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;

	*--p = '\0';
	do
		*--p = (char)('0' + left % 10);
	while (left /= 10);
	if (number < 0)
		*--p = '-';
	fputs_unlocked(p, out);
}

static void print_value(FILE *out, struct value value)
{
	char number[64];

	if (value.type == VALUE_TEXT)
		print_quoted(out, value.text);
	else if (value.type == VALUE_INTEGER)
		print_integer(out, value.integer);
	else if (value.type == VALUE_REAL)
		fputs_unlocked(unit_plain(number, sizeof(number), value.real), out);
}

static void print_wide(FILE *out, struct rows *rows)
{
	const void *row;

	for (size_t i = 0; i < rows->nr_columns; i++)
		fprintf(out, "%s%s", i ? "," : "", rows->columns[i]->name);
	putc('\n', out);
	while ((row = rows_next(rows)) != NULL) {
		for (size_t i = 0; i < rows->nr_columns; i++) {
			if (i)
				putc_unlocked(',', out);
			print_value(out, rows_value(rows, i, row));
		}
		putc_unlocked('\n', out);
	}
}

static void print_long(FILE *out, struct rows *rows)
{
	const void *row;

	for (size_t nr = 1; (row = rows_next(rows)) != NULL; nr++)
		for (size_t i = 0; i < rows->nr_columns; i++) {
			fprintf(out, "%s,%zu,%s,", rows->table->name, nr, rows->columns[i]->name);
			print_value(out, rows_value(rows, i, row));
			putc('\n', out);
		}
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
