/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of errors, for the view of that name. */
#ifndef INSIDEME_ERRORS_TABLES_H
#define INSIDEME_ERRORS_TABLES_H

#include "analyzer/cells/view_context.h"
#include "analyzer/views/views.h"

/* What was thrown, how often, where and where to; and, but for text, each that was kept. Nothing in text where there was none. */
void errors_tables(struct document *document, struct report *report);

void memory_limits_add(struct document *document, struct report *report);

#endif
