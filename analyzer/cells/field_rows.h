/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a field has: of all processes, or of one. */
#ifndef INSIDEME_FIELD_ROWS_H
#define INSIDEME_FIELD_ROWS_H

#include "analyzer/cells/view_context.h"

struct field_row {
	const char *field;
	const struct process *process;	/* NULL: all of them */
	uint64_t nr_functions;		/* 0: it is what is in no field */
	struct call_stats stats;
	struct heap_stats heap;
	double all_ns;			/* of all fields and of what is outside of them */
	bool has_heap;
	uint32_t on_path;		/* who sums up paths: how many calls of the field are open there */
};

struct field_rows {
	struct field_row *rows;		/* by name; room for one more */
	size_t nr_rows;
};

/* The row of a function's field, or NULL. */
struct field_row *field_rows_find(const struct field_rows *fields, const struct function *function);

/*
 * What is in no field: @others_ns and the heap of @row. Of all rows of @fields, of which it becomes the last, it makes
 * shares.
 */
void field_rows_add_others(struct field_rows *fields, struct field_row row, double others_ns);

#endif
