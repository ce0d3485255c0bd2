/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of fields. */
#include "analyzer/cells/field_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS "Others"

static int by_field(const void *a, const void *b)
{
	return strcmp(((const struct field_row *)a)->field, ((const struct field_row *)b)->field);
}

struct field_row *field_rows_find(const struct field_rows *fields, const struct function *function)
{
	struct field_row wanted = { .field = function->field };

	if (!wanted.field)	/* "(other paths)" */
		return NULL;
	return bsearch(&wanted, fields->rows, fields->nr_rows, sizeof(wanted), by_field);
}

void field_rows_add_others(struct field_rows *fields, struct field_row row, double others_ns)
{
	row.field = OTHERS;
	row.all_ns = fmax(0, others_ns);	/* a stopped clock, or hooks that cost less than was measured */
	row.stats.self_ns = isnan(others_ns) ? NAN : row.all_ns;
	for (size_t i = 0; i < fields->nr_rows; i++)
		row.all_ns += fmax(0, fields->rows[i].stats.self_ns);
	fields->rows[fields->nr_rows++] = row;
	for (size_t i = 0; i < fields->nr_rows; i++)
		fields->rows[i].all_ns = row.all_ns;
}
