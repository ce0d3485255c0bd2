/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --filter: which rows of a table are shown. Terms joined by "and", all of which must hold:
 *
 *   COLUMN in VALUE,VALUE      COLUMN not in VALUE,VALUE
 *   COLUMN < VALUE             also <= > >= == !=
 *   changed(COLUMN)            it differs from what the row before had, shown or not
 *
 * COLUMN is a column's name, also without its unit, or its title. A VALUE of a column of texts is a text or a
 * glob, of function names as for --match, of paths the last part too; of numbers a number, with a unit where
 * the column has one: 1ms, 64M. Blanks and commas in a VALUE stand in quotes.
 */
#pragma once

#include <stdbool.h>

#include "analyzer/tables/table.h"

struct row_filter;

/* Return: the filter, or NULL after an error() that names the place in @text. */
struct row_filter *row_filter_new(const struct table *table, const char *text);
void row_filter_free(struct row_filter *filter);

/* Is the next row shown? Rows must be asked for in their order. */
bool row_filter_passes(struct row_filter *filter, const void *row);
/* The rows begin again. */
void row_filter_reset(struct row_filter *filter);
