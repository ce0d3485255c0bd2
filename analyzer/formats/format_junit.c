/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JUnit's xml, as continuous integration shows it: a rule of --gate is a test case. Rules that cannot be
 * decided are skipped.
 */
#include "analyzer/formats/formats.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/ask/table_select.h"
#include "analyzer/base/names.h"
#include "analyzer/tables/table_text.h"

/* Characters that xml cannot hold, which are most control characters, become '?'. */
static void add_escaped(struct row_text *line, const char *text)
{
	static const struct {
		char c;
		const char *escape;
	} escapes[] = { { '&', "&amp;" },  { '<', "&lt;" },   { '>', "&gt;" },
			{ '"', "&quot;" }, { '\n', "&#10;" }, { '\t', "&#9;" } };
	char *clean = utf8_cleaned(text);

	for (const char *p = clean; *p; p++) {
		const char *escape = NULL;

		for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++)
			if (escapes[i].c == *p)
				escape = escapes[i].escape;
		if (escape)
			row_add_text(line, escape);
		else
			row_add_char(line, (unsigned char)*p < ' ' ? '?' : *p);
	}
	free(clean);
}

static void add_attribute(struct row_text *line, const char *name, const char *text)
{
	row_add_char(line, ' ');
	row_add_text(line, name);
	row_add_text(line, "=\"");
	add_escaped(line, text);
	row_add_char(line, '"');
}

/* Each cell of the row, "before: 12". */
static void add_cells(struct row_text *line, const struct rows *rows, const void *row)
{
	for (size_t i = 0; i < rows->nr_columns; i++) {
		struct row_text cell = { 0 };
		struct value value = rows_value(rows, i, row);

		if (value.type == VALUE_EMPTY)
			continue;
		if (value.type == VALUE_TEXT)
			row_add_text(&cell, value.text);
		else
			row_add_csv(&cell, value);
		row_add_char(&cell, '\0');
		add_escaped(line, rows->columns[i]->name);
		row_add_text(line, ": ");
		add_escaped(line, cell.bytes);
		row_add_char(line, '\n');
		row_text_release(&cell);
	}
}

static const char *cell_text(const struct rows *rows, const char *column, const void *row)
{
	for (size_t i = 0; i < rows->nr_columns; i++)
		if (strcmp(rows->columns[i]->name, column) == 0)
			return rows_value(rows, i, row).text;
	return "";
}

struct counts {
	size_t nr, nr_failed, nr_skipped;
};

static void add_case(struct row_text *line, struct counts *counts, const struct rows *rows, const void *row,
		     bool is_strict)
{
	const char *verdict = cell_text(rows, "verdict", row);
	bool is_open = strcmp(verdict, "cannot tell") == 0;
	bool fails = strcmp(verdict, "fails") == 0 || (is_open && is_strict);
	const char *what = fails ? "failure" : "skipped";

	counts->nr++;
	counts->nr_failed += fails;
	counts->nr_skipped += is_open && !fails;
	row_add_text(line, "<testcase classname=\"insideme.gate\"");
	add_attribute(line, "name", cell_text(rows, "rule", row));
	row_add_char(line, '>');
	if (fails || is_open) {
		row_add_char(line, '<');
		row_add_text(line, what);
		add_attribute(line, "message", cell_text(rows, "why", row));
		row_add_char(line, '>');
		add_cells(line, rows, row);
		row_add_text(line, "</");
		row_add_text(line, what);
		row_add_char(line, '>');
	}
	row_add_text(line, "</testcase>\n");
}

static void print_doubts(const struct document *document, FILE *out)
{
	struct row_text line = { 0 };

	for (size_t i = 0; i < document->nr_doubts; i++) {
		row_add_text(&line,
			     i ? "<property name=\"doubt\"" : "<properties>\n<property name=\"doubt\"");
		add_attribute(&line, "value", document->doubts[i]);
		row_add_text(&line, i + 1 < document->nr_doubts ? "/>" : "/>\n</properties>");
		row_end(&line, out);
	}
	row_text_release(&line);
}

void format_junit(FILE *out, struct document *document, const struct options *options)
{
	struct options all = *options;
	struct row_text cases = { 0 };
	struct counts counts = { 0 };
	const void *row;

	all.columns = NULL;
	for (size_t i = 0; i < document->nr_sections; i++) {
		struct table *table = document->sections[i].table;
		struct rows rows;

		if (!table || !(table->formats & IN_JUNIT))
			continue;
		rows_open(&rows, table, &all, false);
		while ((row = rows_next(&rows)) != NULL)
			add_case(&cases, &counts, &rows, row, options->strict);
		rows_close(&rows);
	}
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites><testsuite name=\"insideme\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" "
		"errors=\"0\">\n",
		counts.nr, counts.nr_failed, counts.nr_skipped);
	print_doubts(document, out);
	if (cases.used)
		fwrite(cases.bytes, 1, cases.used, out);
	fputs("</testsuite></testsuites>\n", out);
	row_text_release(&cases);
}
