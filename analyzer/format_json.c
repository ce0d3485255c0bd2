/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON by jansson: an object that has the view's name and, for each table, an array of objects, a row a line. */
#include "formats.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "rows.h"
#include "utf8.h"

/* Paths and names can be any bytes, JSON's texts cannot. */
static json_t *text_to_json(const char *text)
{
	char *clean = xcalloc(strlen(text) + 1, UTF8_CLEAN_MAX);
	json_t *string;

	utf8_clean(clean, text);
	string = json_string_nocheck(clean);
	free(clean);
	return string;
}

static json_t *value_to_json(struct value value)
{
	switch (value.type) {
	case VALUE_TEXT:
		return json_string(value.text) ?: text_to_json(value.text);
	case VALUE_INTEGER:
		return json_integer(value.integer);
	case VALUE_REAL:
		return json_real(value.real);
	default:
		return json_null();
	}
}

static void print_row(FILE *out, const struct rows *rows, const void *row)
{
	json_t *object = json_object();

	for (size_t i = 0; i < rows->nr_columns; i++)
		json_object_set_new(object, rows->columns[i]->name, value_to_json(rows_value(rows, i, row)));
	json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(object);
}

static void print_table(FILE *out, struct table *table, const struct options *options)
{
	struct rows rows;
	const char *between = "\n";
	const void *row;

	rows_open(&rows, table, options, false);
	fprintf(out, ",\n\"%s\":[", table->name);
	while ((row = rows_next(&rows)) != NULL) {
		fputs(between, out);
		print_row(out, &rows, row);
		between = ",\n";
	}
	fputs("]", out);
	rows_close(&rows);
}

void format_json(FILE *out, struct document *document, const struct options *options)
{
	fprintf(out, "{\"view\":\"%s\"", document->view);
	for (size_t i = 0; i < document->nr_sections; i++) {
		struct table *table = document->sections[i].table;

		if (table && (table->formats & IN_JSON))
			print_table(out, table, options);
	}
	fputs("}\n", out);
}
