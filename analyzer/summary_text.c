/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First page: words and numbers. */
#include "summary.h"

#include <string.h>

char *summary_number(struct document *document, enum unit unit, double number)
{
	return unit_format(document_new(document, UNIT_TEXT_MAX), unit, number);
}

char *summary_count(struct document *document, double count, const char *word)
{
	return document_text(document, "%s %s%s", summary_number(document, UNIT_COUNT, count), word,
			     count == 1 ? "" : strcmp(word, "process") == 0 ? "es" : "s");
}
