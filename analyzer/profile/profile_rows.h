/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of a saved profile as text: a line for each call path, so that a million of them are written and read one by one.
 * They are JSON, but of one form only, which is faster to read than any JSON by far.
 */
#ifndef INSIDEME_PROFILE_ROWS_H
#define INSIDEME_PROFILE_ROWS_H

#include "analyzer/profile/profile_data.h"
#include "analyzer/profile/profile_fields.h"
#include "analyzer/tables/table_text.h"

/* "[1,2.5,null]": numbers of the fields, without those at the end that are 0. */
void fields_print(struct row_text *line, const struct field *fields, const void *thing);
/* The same back from *@text, which then is behind it; fields that are not there are 0. Return: false: it is none */
bool fields_parse(const struct field *fields, void *thing, const char **text);

bool run_part_is_sound(const struct run_part *part);

/* A row without what stands between rows. @nr_runs: more than one have a range. */
void path_row_print(struct row_text *line, const struct saved_path *path, size_t nr_runs);
/* @path begins with all 0. Return: false: it is none, or says what cannot be */
bool path_row_parse(struct saved_path *path, const char *text, size_t nr_runs);
/* The same of pairs; @edge has room for the parts of @nr_runs. */
void edge_row_print(struct row_text *line, const struct saved_edge *edge, size_t nr_runs);
bool edge_row_parse(struct saved_edge *edge, const char *text, size_t nr_runs);

#endif
