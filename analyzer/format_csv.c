/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quoting as in RFC 4180. A view of one table is that table; one of several is the long form: section,row,column,value.
 * '.' is the decimal point in every locale; lines end as they do on Unix.
 */
#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "rows.h"

/* A line being made: a call of stdio for each of a million cells would take most of the time. */
struct line {
	char *bytes;
	size_t used;
	size_t room;
};

static void make_room(struct line *line, size_t more)
{
	char *bytes;

	if (line->used + more <= line->room)
		return;
	bytes = xcalloc(2, line->used + more);
	if (line->used)
		memcpy(bytes, line->bytes, line->used);
	free(line->bytes);
	line->bytes = bytes;
	line->room = 2 * (line->used + more);
}

static void add_text(struct line *line, const char *text)
{
	size_t length = strlen(text);

	make_room(line, length + 1);
	memcpy(line->bytes + line->used, text, length);
	line->used += length;
}

static void add_char(struct line *line, char c)
{
	make_room(line, 1);
	line->bytes[line->used++] = c;
}

static void add_quoted(struct line *line, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		add_text(line, text);
		return;
	}
	add_char(line, '"');
	for (; *text; text++) {
		if (*text == '"')
			add_char(line, '"');
		add_char(line, *text);
	}
	add_char(line, '"');
}

static void add_integer(struct line *line, int64_t number)
{
	char digits[24], *end = digits + sizeof(digits), *p = end;
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;

	do
		*--p = (char)('0' + left % 10);
	while (left /= 10);
	if (number < 0)
		*--p = '-';
	make_room(line, (size_t)(end - p));
	memcpy(line->bytes + line->used, p, (size_t)(end - p));
	line->used += (size_t)(end - p);
}

static void add_value(struct line *line, struct value value)
{
	char number[64];

	if (value.type == VALUE_TEXT)
		add_quoted(line, value.text);
	else if (value.type == VALUE_INTEGER)
		add_integer(line, value.integer);
	else if (value.type == VALUE_REAL)
		add_text(line, unit_plain(number, sizeof(number), value.real));
}

static void end_line(struct line *line, FILE *out)
{
	add_char(line, '\n');
	fwrite_unlocked(line->bytes, 1, line->used, out);
	line->used = 0;
}

static void print_wide(FILE *out, struct rows *rows)
{
	struct line line = { 0 };
	const void *row;

	for (size_t i = 0; i < rows->nr_columns; i++) {
		add_text(&line, i ? "," : "");
		add_text(&line, rows->columns[i]->name);
	}
	end_line(&line, out);
	while ((row = rows_next(rows)) != NULL) {
		for (size_t i = 0; i < rows->nr_columns; i++) {
			if (i)
				add_char(&line, ',');
			add_value(&line, rows_value(rows, i, row));
		}
		end_line(&line, out);
	}
	free(line.bytes);
}

static void print_long(FILE *out, struct rows *rows)
{
	struct line line = { 0 };
	const void *row;

	for (int64_t nr = 1; (row = rows_next(rows)) != NULL; nr++)
		for (size_t i = 0; i < rows->nr_columns; i++) {
			add_text(&line, rows->table->name);
			add_char(&line, ',');
			add_integer(&line, nr);
			add_char(&line, ',');
			add_text(&line, rows->columns[i]->name);
			add_char(&line, ',');
			add_value(&line, rows_value(rows, i, row));
			end_line(&line, out);
		}
	free(line.bytes);
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
