/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A row of a table as csv or json, collected in memory: a call of stdio for each of a million cells
 * would take most of the time. All 0 at first.
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include "analyzer/tables/table.h"

struct row_text {
	char *bytes;
	size_t used;
	size_t room;
};

void row_make_room(struct row_text *line, size_t more);

/* Add the bytes unchanged. */
static inline void row_add_bytes(struct row_text *line, const char *bytes, size_t nr)
{
	if (line->room - line->used <= nr)	/* always room for one more byte, even when adding none */
		row_make_room(line, nr + 1);
	memcpy(line->bytes + line->used, bytes, nr);
	line->used += nr;
}

static inline void row_add_text(struct row_text *line, const char *text)
{
	row_add_bytes(line, text, strlen(text));
}

static inline void row_add_char(struct row_text *line, char c)
{
	row_add_bytes(line, &c, 1);
}

void row_add_integer(struct row_text *line, int64_t number);
/* 15 significant digits. */
void row_add_real(struct row_text *line, double number);
/*
 * Set what separates the cells of csv from now on, and how csv is written: as python's dialects excel,
 * excel-tab and unix. Return: false if @name is none of these
 */
void csv_set_delimiter(char delimiter);
bool csv_set_dialect(const char *name);
/* The delimiter, and the end of a line of csv. */
void row_add_delimiter(struct row_text *line);
void row_end_csv(struct row_text *line, FILE *out);
/* As RFC 4180: quoted where necessary; empty values are nothing. */
void row_add_csv(struct row_text *line, struct value value);
/* Write a text as row_add_csv() does. */
void csv_write(FILE *out, const char *text);
/* As RFC 8259: empty values are null; malformed UTF-8 becomes U+FFFD. */
void row_add_json(struct row_text *line, struct value value);
/* Add @key unchanged, such as ",\"name\":", and the text or the number as JSON. */
void row_add_json_text(struct row_text *line, const char *key, const char *text);
void row_add_json_integer(struct row_text *line, const char *key, int64_t number);
/* Write the line and a newline, and begin another line. */
void row_end(struct row_text *line, FILE *out);
void row_text_release(struct row_text *line);
