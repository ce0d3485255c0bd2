/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a view makes and a format prints: sections, each a label, lines of text, a table, or all of them. */
#ifndef INSIDEME_DOCUMENT_H
#define INSIDEME_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/tables/table.h"

struct section {
	const char *label;		/* "Command", in front of the first line; NULL: none */
	const char *text;		/* lines for people, separated by newlines; NULL: none */
	struct table *table;		/* NULL: none */
	bool apart;			/* an empty line goes before it */
	bool wraps;			/* lines that are too long go on in the next one */
};

struct document {
	const char *view;
	struct section *sections;
	size_t nr_sections;
	void **memory;			/* freed with the document */
	size_t nr_memory;
};

/* New zeroed memory, or text, that lives as long as the document. */
void *document_new(struct document *document, size_t bytes);
/* Memory that is freed with the document. Return: @memory */
void *document_keep(struct document *document, void *memory);
char *document_text(struct document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* unit_format() into the document. */
char *document_number(struct document *document, enum unit unit, double number);
/* @count and @word, with an s where it needs one. */
char *document_count(struct document *document, double count, const char *word);

/* Add a section; texts and table must live as long as the document. Return: it, until the next is added */
struct section *document_add(struct document *document, const char *label, const char *text);
struct section *document_add_table(struct document *document, struct table *table);

/* How many tables @format (IN_TEXT ...) shows. */
size_t document_tables(const struct document *document, unsigned int format);

void document_release(struct document *document);

#endif
