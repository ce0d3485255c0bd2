/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The formats. Each can print any document. To add one: a file with its function, and a line in
 * app/formats.c.
 */
#pragma once

#include <stdio.h>

#include "analyzer/ask/options.h"
#include "analyzer/cells/view_context.h"
#include "analyzer/tables/document.h"

struct format {
	const char *name;
	const char *help;		/* one line */
	unsigned int bit;		/* in table.formats; 0: it does not print tables */
	void (*print)(FILE *out, struct document *document, const struct options *options);
	/* Formats that write all views at once, to a file: used instead of print. Return: exit status */
	int (*write)(struct report *report);
	bool has_times;			/* it knows when calls were: --from and --to limit it */
	bool needs_logs;		/* it has nothing of what a saved profile has */
	bool has_calls; /* single ones, which --filter chooses, as it chooses rows of tables */
	bool has_diff;			/* --diff: it shows both */
	bool is_binary;			/* not for a terminal */
};

void format_text(FILE *out, struct document *document, const struct options *options);
void format_csv(FILE *out, struct document *document, const struct options *options);
void format_json(FILE *out, struct document *document, const struct options *options);
void format_markdown(FILE *out, struct document *document, const struct options *options);
void format_junit(FILE *out, struct document *document, const struct options *options);
