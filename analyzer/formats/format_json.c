/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An object with the name of the view and, for each table, an array of objects, a row a line; then what is
 * in doubt.
 */
#include "analyzer/formats/formats.h"

#include <stdlib.h>

#include "analyzer/ask/table_select.h"
#include "analyzer/base/error.h"
#include "analyzer/tables/table_text.h"

/* The text before each cell: {"path": */
static struct row_text *make_heads(const struct rows *rows)
{
	struct row_text *heads = xcalloc(rows->nr_columns, sizeof(*heads));

	for (size_t i = 0; i < rows->nr_columns; i++) {
		row_add_char(&heads[i], i ? ',' : '{');
		/* a counter's name may have any bytes */
		row_add_json(&heads[i], value_text(rows->columns[i]->name));
		row_add_char(&heads[i], ':');
	}
	return heads;
}

static void free_heads(struct row_text *heads, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		row_text_release(&heads[i]);
	free(heads);
}

static void print_row(struct row_text *line, const struct rows *rows, const struct row_text *heads,
		      const void *row)
{
	for (size_t i = 0; i < rows->nr_columns; i++) {
		row_add_bytes(line, heads[i].bytes, heads[i].used);
		row_add_json(line, rows_value(rows, i, row));
	}
	row_add_char(line, '}');
}

static void print_table(struct row_text *line, FILE *out, struct table *table, const struct options *options)
{
	const void *row;
	struct rows rows;
	bool is_first = true;
	struct row_text *heads;

	row_add_text(line, ",");
	row_end(line, out);
	row_add_text(line, "\"");
	row_add_text(line, table->name);
	row_add_text(line, "\":[");
	rows_open(&rows, table, options, false);
	heads = make_heads(&rows);
	for (; (row = rows_next(&rows)) != NULL; is_first = false) {
		row_add_text(line, is_first ? "" : ",");
		row_end(line, out);
		print_row(line, &rows, heads, row);
	}
	row_add_text(line, "]");
	free_heads(heads, rows.nr_columns);
	rows_close(&rows);
}

static void print_doubts(struct row_text *line, const struct document *document)
{
	for (size_t i = 0; i < document->nr_doubts; i++)
		row_add_json_text(line, i ? ",\n" : ",\n\"doubts\":[\n", document->doubts[i]);
	row_add_text(line, document->nr_doubts ? "]" : document->doubts ? ",\n\"doubts\":[]" : "");
}

void format_json(FILE *out, struct document *document, const struct options *options)
{
	struct row_text line = { 0 };

	row_add_text(&line, "{\"view\":\"");
	row_add_text(&line, document->view);
	row_add_text(&line, "\"");
	for (size_t i = 0; i < document->nr_sections; i++) {
		struct table *table = document->sections[i].table;

		if (table && (table->formats & IN_JSON))
			print_table(&line, out, table, options);
	}
	print_doubts(&line, document);
	row_add_text(&line, "}");
	row_end(&line, out);
	row_text_release(&line);
}
