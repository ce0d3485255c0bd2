/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of a table as csv or json. The decimal point is '.' in every locale; lines end with a newline. */
#include "analyzer/tables/table_text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/units.h"
#include "analyzer/base/names.h"

void row_make_room(struct row_text *line, size_t more)
{
	char *bytes;

	bytes = xcalloc(2, line->used + more);
	if (line->used)
		memcpy(bytes, line->bytes, line->used);
	free(line->bytes);
	line->bytes = bytes;
	line->room = 2 * (line->used + more);
}

static struct {
	char delimiter;
	bool quotes_all, has_returns;
	char special[5];		/* texts with one of these are quoted */
} dialect = { ',', false, false, ",\"\r\n" };

void csv_set_delimiter(char delimiter)
{
	dialect.delimiter = dialect.special[0] = delimiter;
}

bool csv_set_dialect(const char *name)
{
	const bool is_tab = strcmp(name, "excel-tab") == 0, is_excel = is_tab || strcmp(name, "excel") == 0;

	dialect.has_returns = is_excel;
	dialect.quotes_all = !is_excel;
	csv_set_delimiter(is_tab ? '\t' : ',');
	return is_excel || strcmp(name, "unix") == 0;
}

void row_add_delimiter(struct row_text *line)
{
	row_add_char(line, dialect.delimiter);
}

void row_end_csv(struct row_text *line, FILE *out)
{
	if (dialect.has_returns)
		row_add_char(line, '\r');
	row_end(line, out);
}

static void add_quoted(struct row_text *line, const char *text)
{
	size_t plain = strcspn(text, dialect.special);

	if (!text[plain] && !dialect.quotes_all) {
		row_add_bytes(line, text, plain);
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
	row_add_bytes(line, p, (size_t)(end - p));
}

/* All digits, however large or small: a program's own counter may be of any scale. */
void row_add_real(struct row_text *line, double number)
{
	char text[DECIMAL_TEXT_MAX];

	row_add_text(line, decimal_significant(text, number));
}

void row_add_csv(struct row_text *line, struct value value)
{
	char number[UNIT_PLAIN_MAX];

	if (value.type == VALUE_TEXT) {
		add_quoted(line, value.text);
		return;
	}
	if (dialect.quotes_all)
		row_add_char(line, '"');
	if (value.type == VALUE_INTEGER)
		row_add_integer(line, value.integer);
	else if (value.type == VALUE_REAL && value.unit == UNIT_NONE && isfinite(value.real))
		row_add_real(line, value.real);
	else if (value.type == VALUE_REAL)
		row_add_text(line, unit_plain(number, value.real));
	if (dialect.quotes_all)
		row_add_char(line, '"');
}

void csv_write(FILE *out, const char *text)
{
	struct row_text line = { 0 };

	add_quoted(&line, text);
	fwrite(line.bytes, 1, line.used, out);
	row_text_release(&line);
}

/* Length of what JSON needs not escape. */
static size_t plain_bytes(const char *text)
{
	size_t nr = 0;

	while (text[nr] >= ' ' && text[nr] <= '~' && text[nr] != '"' && text[nr] != '\\')
		nr++;
	return nr;
}

static void add_json_text(struct row_text *line, const char *text)
{
	size_t plain = plain_bytes(text);
	char *clean, *quoted;
	json_t *string;

	if (!text[plain]) {
		row_add_char(line, '"');
		row_add_bytes(line, text, plain);
		row_add_char(line, '"');
		return;
	}
	clean = utf8_cleaned(text);
	string = json_string_nocheck(clean);
	quoted = json_dumps(string, JSON_ENCODE_ANY);
	row_add_text(line, quoted);
	free(quoted);
	json_decref(string);
	free(clean);
}

void row_add_json(struct row_text *line, struct value value)
{
	if (value.type == VALUE_TEXT) {
		add_json_text(line, value.text);
	} else if (value.type == VALUE_INTEGER) {
		row_add_integer(line, value.integer);
	} else if (value.type == VALUE_REAL && isfinite(value.real)) {
		row_add_real(line, value.real);
	} else {
		row_add_text(line, "null");
	}
}

void row_add_json_text(struct row_text *line, const char *key, const char *text)
{
	row_add_text(line, key);
	add_json_text(line, text);
}

void row_add_json_integer(struct row_text *line, const char *key, int64_t number)
{
	row_add_text(line, key);
	row_add_integer(line, number);
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
