/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats: each prints any document. Adding one is a file with its function and a line in formats.c. */
#ifndef INSIDEME_FORMATS_H
#define INSIDEME_FORMATS_H

#include <stdio.h>

#include "analyzer/ask/options.h"
#include "analyzer/cells/view_context.h"
#include "analyzer/tables/document.h"

struct format {
	const char *name;
	const char *help;		/* one line */
	unsigned int bit;		/* of table.formats; 0: it is of no tables */
	void (*print)(FILE *out, struct document *document, const struct options *options);
	/* Of all views at once, into a file: then in place of print. Return: exit status */
	int (*write)(struct report *report);
};

extern const struct format formats[];	/* ends with a name of NULL */
const struct format *format_find(const char *name);
/* Are its rows those of one table, so that --filter chooses them? */
bool format_has_rows(const struct format *format);

void format_text(FILE *out, struct document *document, const struct options *options);
void format_csv(FILE *out, struct document *document, const struct options *options);
void format_json(FILE *out, struct document *document, const struct options *options);
int page_write(struct report *report);
/* The page into @path. Return: exit status */
int page_save(struct report *report, const char *path);

#endif
