/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Views as sheets, a sheet for each table, with all rows and columns of its csv, so that page and csv say
 * the same.
 */
#include "analyzer/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/ask/table_select.h"
#include "analyzer/base/error.h"
#include "analyzer/formats/formats.h"

/* A column while its rows are read: numbers or texts, whichever come. */
struct collected {
	double *numbers;
	char **texts;			/* [row]; NULL: no text */
	enum unit unit;
	json_t *doubtful;		/* numbers of the rows that text marks with ~; NULL: none */
	json_t *sampled;		/* likewise with ≈ */
	json_t *bound;			/* likewise with ≤ */
};

static void note_row(json_t **rows, size_t row)
{
	if (!*rows)
		*rows = json_array();
	json_array_append_new(*rows, json_integer((json_int_t)row));
}

static void collect(struct collected *column, size_t row, struct value value)
{
	column->numbers = xgrow(column->numbers, row, sizeof(*column->numbers));
	column->texts = xgrow(column->texts, row, sizeof(*column->texts));
	column->numbers[row] = NAN;
	if (value.type == VALUE_TEXT) {
		column->texts[row] = xstrdup(value.text);
	} else if (value.type != VALUE_EMPTY) {
		column->numbers[row] = value_number(value);
		column->unit = value.unit;
	}
	if (value.is_doubtful)
		note_row(&column->doubtful, row);
	if (value.is_sampled)
		note_row(&column->sampled, row);
	if (value.is_bound)
		note_row(&column->bound, row);
}

static bool has_text(const struct collected *column, size_t nr_rows)
{
	for (size_t i = 0; i < nr_rows; i++)
		if (column->texts[i])
			return true;
	return false;
}

static void add_column(struct sheet *sheet, const struct column *column, struct collected *collected,
		       size_t nr_rows)
{
	json_t *about = has_text(collected, nr_rows) ?
		sheet_add_texts(sheet, column->name, collected->texts, nr_rows) :
		sheet_add_numbers(sheet, column->name, collected->numbers, nr_rows, 0);

	json_object_set_new(about, "title", json_string(column->title));
	json_object_set_new(about, "unit", json_string(page_unit(collected->unit)));
	if (collected->doubtful)
		json_object_set_new(about, "doubtful", collected->doubtful);
	if (collected->sampled)
		json_object_set_new(about, "sampled", collected->sampled);
	if (collected->bound)
		json_object_set_new(about, "bound", collected->bound);
	for (size_t i = 0; i < nr_rows; i++)
		free(collected->texts[i]);
	free(collected->texts);
	free(collected->numbers);
}

static void add_table(struct sheet *sheet, struct table *table, const struct options *options)
{
	struct collected *columns;
	struct rows rows;
	size_t nr = 0;
	const void *row;

	rows_open(&rows, table, options, false);
	columns = xcalloc(rows.nr_columns, sizeof(*columns));
	for (; (row = rows_next(&rows)) != NULL; nr++)
		for (size_t i = 0; i < rows.nr_columns; i++)
			collect(&columns[i], nr, rows_value(&rows, i, row));
	for (size_t i = 0; i < rows.nr_columns; i++)
		add_column(sheet, rows.columns[i], &columns[i], nr);
	json_object_set_new(sheet->about, "rows", json_integer((json_int_t)nr));
	free(columns);
	rows_close(&rows);
}

/*
 * Samples over time have a sheet of their own. The first page repeats parts of other views, which have
 * their own sheets too.
 */
static bool is_wanted(const struct document *document, const struct table *table)
{
	if (!(table->formats & (IN_CSV | IN_JSON)) || strcmp(table->name, "rows") == 0)
		return false;
	return strcmp(document->view, "summary") != 0 || strcmp(table->name, "run") == 0 ||
	       strcmp(table->name, "resources") == 0;
}

/* The lines of text between the tables, and the places of the tables. */
static json_t *sections_of(const struct document *document)
{
	json_t *list = json_array();

	for (size_t i = 0; i < document->nr_sections; i++) {
		const struct section *section = &document->sections[i];
		json_t *object = json_object();

		if (section->label)
			json_object_set_new(object, "label", page_text(section->label));
		if (section->text)
			json_object_set_new(object, "text", page_text(section->text));
		if (section->table)
			json_object_set_new(object, "table", json_string(section->table->name));
		if (section->table && section->table->title)
			json_object_set_new(object, "title", page_text(section->table->title));
		if (section->table && section->table->note)
			json_object_set_new(object, "note", page_text(section->table->note));
		json_array_append_new(list, object);
	}
	return list;
}

/* The view as -v shows it where there is no terminal. Newly allocated; NULL: no memory */
static char *text_of(struct document *document, const struct options *options)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	format_text(out, document, options);
	fclose(out);
	return text;
}

int page_add_view(struct page *page, const char *view,
		  int (*build)(struct document *document, struct report *report))
{
	struct document document = { .view = view };
	const struct options *given = page->report->options;
	struct options options = {
		.view = view, .format = "html", .filter = given->filter, .no_source = given->no_source
	};
	struct report report = *page->report;
	int status;

	report.options = &options;
	status = report_build(&report, &document, build);
	json_object_set_new(page_sheet(page, view)->about, "sections", sections_of(&document));
	for (size_t i = 0; i < document.nr_sections && status == 0; i++) {
		struct table *table = document.sections[i].table;
		char *name;

		if (!table || !is_wanted(&document, table))
			continue;
		name = xasprintf("%s.%s", view, table->name);
		if (strcmp(view, table->name) == 0)
			/* the page sorts; functions stay in the order of the model */
			table->data_sort = NULL;
		add_table(page_sheet(page, name), table, &options);
		free(name);
	}
	if (status == 0 && strcmp(view, "summary") == 0)
		page->text = text_of(&document, &options);
	document_release(&document);
	return status;
}
