/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quoting as in RFC 4180. '.' is the decimal point in every locale; lines end as they do on Unix. */
#include "csv_line.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

static void make_room(struct csv_line *line, size_t more)
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

void csv_add_text(struct csv_line *line, const char *text)
{
	size_t length = strlen(text);

	make_room(line, length + 1);
	memcpy(line->bytes + line->used, text, length);
	line->used += length;
}

void csv_add_char(struct csv_line *line, char c)
{
	make_room(line, 1);
	line->bytes[line->used++] = c;
}

static void add_quoted(struct csv_line *line, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		csv_add_text(line, text);
		return;
	}
	csv_add_char(line, '"');
	for (; *text; text++) {
		if (*text == '"')
			csv_add_char(line, '"');
		csv_add_char(line, *text);
	}
	csv_add_char(line, '"');
}

void csv_add_integer(struct csv_line *line, int64_t number)
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

void csv_add_value(struct csv_line *line, struct value value)
{
	char number[64];

	if (value.type == VALUE_TEXT)
		add_quoted(line, value.text);
	else if (value.type == VALUE_INTEGER)
		csv_add_integer(line, value.integer);
	else if (value.type == VALUE_REAL)
		csv_add_text(line, unit_plain(number, sizeof(number), value.real));
}

void csv_end_line(struct csv_line *line, FILE *out)
{
	csv_add_char(line, '\n');
	fwrite_unlocked(line->bytes, 1, line->used, out);
	line->used = 0;
}

void csv_line_release(struct csv_line *line)
{
	free(line->bytes);
}
