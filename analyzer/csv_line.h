/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line of csv being made: a call of stdio for each of a million cells would take most of the time. All 0 at first. */
#ifndef INSIDEME_CSV_LINE_H
#define INSIDEME_CSV_LINE_H

#include <stdio.h>

#include "table.h"

struct csv_line {
	char *bytes;
	size_t used;
	size_t room;
};

/* As it stands. */
void csv_add_text(struct csv_line *line, const char *text);
void csv_add_char(struct csv_line *line, char c);
void csv_add_integer(struct csv_line *line, int64_t number);
/* Quoted where that is needed; nothing for an empty one. */
void csv_add_value(struct csv_line *line, struct value value);
/* Write it, and begin another one. */
void csv_end_line(struct csv_line *line, FILE *out);
void csv_line_release(struct csv_line *line);

#endif
