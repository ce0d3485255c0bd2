/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The document that a view makes and a format prints. */
#include "analyzer/tables/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"

void *document_keep(struct document *document, void *memory)
{
	return APPEND(document->memory, document->nr_memory) = memory;
}

void *document_new(struct document *document, size_t bytes)
{
	return document_keep(document, xcalloc(1, bytes));
}

char *document_text(struct document *document, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = xstrdup("");
	va_end(arguments);
	return document_keep(document, text);
}

struct section *document_add(struct document *document, const char *label, const char *text)
{
	struct section *section;

	section = &APPEND(document->sections, document->nr_sections);
	*section = (struct section){ .label = label, .text = text };
	return section;
}

struct table *document_add_table(struct document *document, const struct table *table)
{
	struct table *copy = document_new(document, sizeof(*copy));
	struct section *section = document_add(document, NULL, NULL);
	bool is_none = table->none && !table->rows.nr;

	*copy = *table;
	if (!copy->formats)
		copy->formats = IN_TEXT | IN_CSV | IN_JSON;
	if (is_none)
		copy->formats &= ~IN_TEXT;
	section->table = copy;
	section->apart = copy->apart;
	if (is_none)
		document_add(document, NULL, copy->none)->wraps = true;
	return copy;
}

void *document_add_row(struct document *document, struct table_rows *rows, const void *row)
{
	char *list;

	if (!rows->nr) {
		rows->kept = document->nr_memory;
		document_keep(document, NULL);
	}
	list = xgrow(document->memory[rows->kept], rows->nr, rows->row_bytes);
	rows->list = document->memory[rows->kept] = list;
	return memcpy(list + rows->nr++ * rows->row_bytes, row, rows->row_bytes);
}

char *document_number(struct document *document, enum unit unit, double number)
{
	return unit_format(document_new(document, UNIT_TEXT_MAX), unit, number);
}

char *document_count(struct document *document, double count, const char *word)
{
	return document_text(document, "%s %s%s", document_number(document, UNIT_COUNT, count), word,
			     count == 1 ? "" : strcmp(word, "process") == 0 ? "es" : "s");
}

size_t document_tables(const struct document *document, unsigned int format)
{
	size_t nr = 0;

	for (size_t i = 0; i < document->nr_sections; i++)
		nr += document->sections[i].table && (document->sections[i].table->formats & format);
	return nr;
}

void document_release(struct document *document)
{
	for (size_t i = 0; i < document->nr_memory; i++)
		free(document->memory[i]);
	free(document->memory);
	free(document->sections);
}
