/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums over the functions of a field: in all processes, and in each one. Rows of processes are made when
 * they are asked for, those of one process at a time, because a run of many ranks has millions of them.
 */
#pragma once

#include "analyzer/cells/view_context.h"
#include "analyzer/tables/document.h"

struct field_row {
	const char *field;
	const struct process *process;	/* NULL: all of them */
	uint64_t nr_functions;		/* 0: the row is what is in no field */
	struct call_stats stats;	/* total_ns: of the field's outermost calls */
	struct heap_stats heap;
	double all_ns;			/* of all fields and of what is outside of them */
	bool has_heap;
};

struct field_rows {
	struct field_row *rows;		/* by name; room for one more */
	size_t nr_rows;
};

struct process_fields;

/* Sum up @fields over all processes, after fields_apply(). Return: what process_fields_sum() needs */
struct process_fields *field_rows_make(struct document *document, const struct report *report,
				       struct field_rows *fields);

/*
 * Add the last row to @fields: what is in no field, @others_ns and the heap of @row. The shares of all rows
 * are known only then.
 */
void field_rows_add_others(struct field_rows *fields, struct field_row row, double others_ns);

/* How many processes have rows; in *@others_ns what all of them together spent in no field. */
size_t process_fields_sum(const struct process_fields *of, double *others_ns);

/* For a table with a struct process_fields as source: the fields of each process, and Others. */
bool process_fields_next(struct table *table, void *row);
