/* SPDX-License-Identifier: GPL-3.0-or-later */
/* '.' is the decimal point in every locale; lines end as they do on Unix. */
#include "row_text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "utf8.h"

static void make_room(struct row_text *line, size_t more)
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

void row_add_text(struct row_text *line, const char *text)
{
	size_t length = strlen(text);

	make_room(line, length + 1);
	memcpy(line->bytes + line->used, text, length);
	line->used += length;
}

void row_add_char(struct row_text *line, char c)
{
	make_room(line, 1);
	line->bytes[line->used++] = c;
}

static void add_quoted(struct row_text *line, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		row_add_text(line, text);
		return;
	}
	row_add_char(line, '"');
	for (; *text; text++) {
		if (*text == '"')
			row_add_char(line, '"');
		row_add_char(line, *text);
	}
	row_add_char(line, '"');
}

void row_add_integer(struct row_text *line, int64_t number)
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

/* All digits that it has, however large or small: a program's counter may be of any scale. */
static void add_real(struct row_text *line, double real)
{
	char number[64];

	snprintf(number, sizeof(number), "%.15g", real);
	row_add_text(line, number);
}

void row_add_csv(struct row_text *line, struct value value)
{
	char number[64];

	if (value.type == VALUE_TEXT)
		add_quoted(line, value.text);
	else if (value.type == VALUE_INTEGER)
		row_add_integer(line, value.integer);
	else if (value.type == VALUE_REAL && value.unit == UNIT_NONE && isfinite(value.real))
		add_real(line, value.real);
	else if (value.type == VALUE_REAL)
		row_add_text(line, unit_plain(number, sizeof(number), value.real));
}

static void add_json_text(struct row_text *line, const char *text)
{
	char *clean = xcalloc(strlen(text) + 1, UTF8_CLEAN_MAX), *quoted;
	json_t *string;

	utf8_clean(clean, text);
	string = json_string_nocheck(clean);
	quoted = json_dumps(string, JSON_ENCODE_ANY);
	row_add_text(line, quoted);
	free(quoted);
	json_decref(string);
	free(clean);
}

/* Nothing in it that JSON writes in another way. */
static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
			return false;
	return true;
}

void row_add_json(struct row_text *line, struct value value)
{
	if (value.type == VALUE_TEXT && is_plain(value.text)) {
		row_add_char(line, '"');
		row_add_text(line, value.text);
		row_add_char(line, '"');
	} else if (value.type == VALUE_TEXT) {
		add_json_text(line, value.text);
	} else if (value.type == VALUE_INTEGER) {
		row_add_integer(line, value.integer);
	} else if (value.type == VALUE_REAL && isfinite(value.real)) {
		add_real(line, value.real);
	} else {
		row_add_text(line, "null");
	}
}

void row_end(struct row_text *line, FILE *out)
{
	row_add_char(line, '\n');
	fwrite_unlocked(line->bytes, 1, line->used, out);
	line->used = 0;
}

void row_text_release(struct row_text *line)
{
	free(line->bytes);
}
