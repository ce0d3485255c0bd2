/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fields by process: rows that are made as they are asked for, those of one process at a time, as a run of many ranks has
 * millions of them.
 */
#ifndef INSIDEME_PROCESS_FIELDS_H
#define INSIDEME_PROCESS_FIELDS_H

#include "analyzer/cells/field_rows.h"
#include "analyzer/tables/document.h"

struct process_fields;

/* @fields: of all processes; @is_outermost: of paths, is none of their field above them? Both are kept. */
struct process_fields *process_fields_new(struct document *document, const struct report *report, const struct field_rows *fields,
					  const bool *is_outermost);

/* How many processes have rows; in *@others_ns what all of them together spent in no field. Goes through all. */
size_t process_fields_sum(struct process_fields *of, double *others_ns);

/* A table's next(), its source a struct process_fields: of each process its fields, most time first, and Others. */
bool process_fields_next(struct table *table, void *row);

#endif
