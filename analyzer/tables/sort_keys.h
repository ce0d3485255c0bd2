/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --sort takes besides names of columns: the keys of python's pstats. */
#ifndef INSIDEME_SORT_KEYS_H
#define INSIDEME_SORT_KEYS_H

#include "analyzer/tables/table.h"

/* The column of that name, or that the key stands for; NULL: there is none in @table */
const struct column *sort_column(const struct table *table, const char *name);

#endif
