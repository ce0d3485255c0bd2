/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of GitHub's markdown, for comments and notes: the columns and units of text, with names in full. */
#include "analyzer/formats/formats.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/ask/table_select.h"
#include "analyzer/base/names.h"
#include "analyzer/tables/table_text.h"

/* Escape characters that markdown and html act on. A cell is a line. */
static void add_escaped(struct row_text *line, const char *text)
{
	char *clean = utf8_cleaned(text);

	for (const char *p = clean; *p; p++) {
		if (*p == '&')
			row_add_text(line, "&amp;");
		else if (*p == '<')
			row_add_text(line, "&lt;");
		else if ((unsigned char)*p < ' ')
			row_add_char(line, ' ');
		else {
			if (strchr("\\`*_{}[]()#+!|~>", *p))
				row_add_char(line, '\\');
			row_add_char(line, *p);
		}
	}
	free(clean);
}

static void add_cell(struct row_text *line, struct value value)
{
	char number[UNIT_TEXT_MAX];

	if (value.type == VALUE_TEXT) {
		add_escaped(line, value.text);
		return;
	}
	if (value.type == VALUE_EMPTY)
		return;
	row_add_text(line,
		     value.is_bound ? "≤ " : value.is_sampled ? "≈ " : value.is_doubtful ? "\\~ " : "");
	row_add_text(line, unit_format(number, value.unit, value_number(value)));
}

static void print_head(struct row_text *line, const struct rows *rows, FILE *out)
{
	for (size_t i = 0; i < rows->nr_columns; i++) {
		row_add_text(line, "| ");
		add_escaped(line, rows->columns[i]->title);
		row_add_char(line, ' ');
	}
	row_add_char(line, '|');
	row_end(line, out);
	for (size_t i = 0; i < rows->nr_columns; i++)
		row_add_text(line, rows->columns[i]->flags & COLUMN_LEFT ? "|:---" : "|---:");
	row_add_char(line, '|');
	row_end(line, out);
}

static void print_table(struct row_text *line, FILE *out, struct table *table, const struct options *options)
{
	const void *row;
	struct rows rows;

	rows_open(&rows, table, options, true);
	if (table->title) {
		row_add_text(line, "**");
		add_escaped(line, table->title);
		row_add_text(line, "**\n");
		row_end(line, out);
	}
	print_head(line, &rows, out);
	while ((row = rows_next(&rows)) != NULL) {
		for (size_t i = 0; i < rows.nr_columns; i++) {
			row_add_text(line, "| ");
			add_cell(line, rows_value(&rows, i, row));
			row_add_char(line, ' ');
		}
		row_add_char(line, '|');
		row_end(line, out);
	}
	row_end(line, out);
	rows_close(&rows);
}

void format_markdown(FILE *out, struct document *document, const struct options *options)
{
	struct row_text line = { 0 };

	for (size_t i = 0; i < document->nr_sections; i++) {
		const struct section *section = &document->sections[i];

		if (section->label || section->text) {
			add_escaped(&line, section->label ?: "");
			row_add_text(&line, section->label && section->text ? ": " : "");
			add_escaped(&line, section->text ?: "");
			row_add_char(&line, '\n');
			row_end(&line, out);
		}
		if (section->table && (section->table->formats & IN_TEXT))
			print_table(&line, out, section->table, options);
	}
	for (size_t i = 0; i < document->nr_doubts && strcmp(document->view, "summary") != 0; i++) {
		row_add_text(&line, "Doubt: ");
		add_escaped(&line, document->doubts[i]);
		row_add_char(&line, '\n');
		row_end(&line, out);
	}
	row_text_release(&line);
}
