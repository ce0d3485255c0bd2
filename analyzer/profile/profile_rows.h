/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of a saved profile as text: one line for each call path, so that a million of them are written and
 * read one by one. They are JSON, but in a single form, which is much faster to read than JSON in general.
 */
#pragma once

#include "analyzer/profile/profile_data.h"
#include "analyzer/profile/profile_fields.h"
#include "analyzer/tables/table_text.h"

/*
 * Print "[1,-1,[2.5]]", a row of some places in other lists and the fields, and parse it. Return: false if it
 * is no such row
 */
void sum_row_print(struct row_text *line, const int64_t *places, size_t nr_places, const struct field *fields,
		   const void *thing);
bool sum_row_parse(const char *text, int64_t *places, size_t nr_places, const struct field *fields,
		   void *thing);

/*
 * Are the numbers of a struct run_part or heap_part possible? The first @nr_counts are known, and never
 * below 0.
 */
bool part_is_sound(const void *part, size_t bytes, size_t nr_counts);

/* Print a row without separators. @nr_runs: with more than one there is a range. */
void path_row_print(struct row_text *line, const struct saved_path *path, size_t nr_runs);
/* @path must begin with all 0. Return: false if it is no row, or not possible */
bool path_row_parse(struct saved_path *path, const char *text, size_t nr_runs);
/*
 * The same for what each of @nr_runs has of a function or a pair: @parts is an array of structs of @bytes
 * with these fields, which are numbers of type double; the first is a count, which is known.
 */
void parts_row_print(struct row_text *line, const int64_t *places, size_t nr_places,
		     const struct field *fields, const void *parts, size_t bytes, size_t nr_runs);
bool parts_row_parse(const char *text, int64_t *places, size_t nr_places, const struct field *fields,
		     void *parts, size_t bytes, size_t nr_runs);
