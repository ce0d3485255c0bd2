/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The document that a view makes and a format prints: a list of sections. A section is a label, lines
 * of text, a table, or several of these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/tables/table.h"

struct section {
	const char *label;		/* in front of the first line: "Command"; NULL: none */
	const char *text;		/* for people, lines separated by newlines; NULL: none */
	struct table *table;		/* NULL: none */
	bool apart;			/* preceded by an empty line */
	bool wraps;			/* break lines that are too long */
};

struct document {
	const char *view;
	struct section *sections;
	size_t nr_sections;
	const char **doubts;		/* sentences; NULL: nobody asked for them */
	size_t nr_doubts;
	void **memory;			/* freed with the document */
	size_t nr_memory;
};

/* New zeroed memory, or text, that lives as long as the document. */
void *document_new(struct document *document, size_t bytes);
/* Hand @memory over to the document, which frees it at its end. Return: @memory */
void *document_keep(struct document *document, void *memory);
char *document_text(struct document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* unit_format() into memory of the document. */
char *document_number(struct document *document, enum unit unit, double number);
/* "1 process", "12 calls": @count and @word, in the plural where needed. @word: takes an s; or "process". */
char *document_count(struct document *document, double count, const char *word);

/*
 * Add a section. Text and table must live as long as the document. Return: the section, valid until the
 * next one is added
 */
struct section *document_add(struct document *document, const char *label, const char *text);
/* Add a copy of @table. Return: the copy */
struct table *document_add_table(struct document *document, const struct table *table);
/* Add a row. The document owns the list. Return: the new row, valid until the next one */
void *document_add_row(struct document *document, struct table_rows *rows, const void *row);

/* How many tables @format (IN_TEXT ...) shows. */
size_t document_tables(const struct document *document, unsigned int format);

void document_release(struct document *document);
