/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables: what a view hands to a format. A table has columns, each with a getter, and gives its rows one
 * after the other, so that one of a million calls needs no more memory than one of ten.
 */
#ifndef INSIDEME_TABLE_H
#define INSIDEME_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analyzer/base/units.h"

enum value_type {
	VALUE_EMPTY,		/* not measured, or makes no sense here */
	VALUE_TEXT,
	VALUE_INTEGER,
	VALUE_REAL,
};

struct value {
	enum value_type type;
	enum unit unit;			/* of a number */
	bool is_doubtful;		/* a number that cannot be told: text marks it */
	bool is_literal;		/* a name that text does not shorten: it is no declaration */
	unsigned int indent;		/* of a text, for people: levels */
	const char *apart;		/* likewise: what goes behind a name that others have too; NULL: nothing */
	union {
		const char *text;	/* lives until the next row is asked for */
		int64_t integer;
		double real;
	};
};

/* Inline, as what follows: a call for each of a million cells would wait for the copy. */
static inline struct value value_empty(void)
{
	return (struct value){ .type = VALUE_EMPTY };
}

/* NULL: empty */
static inline struct value value_text(const char *text)
{
	return text ? (struct value){ .type = VALUE_TEXT, .text = text } : value_empty();
}

static inline struct value value_integer(enum unit unit, int64_t number)
{
	return (struct value){ .type = VALUE_INTEGER, .unit = unit, .integer = number };
}

static inline struct value value_real(enum unit unit, double number)
{
	if (!isfinite(number))
		return value_empty();
	return (struct value){ .type = VALUE_REAL, .unit = unit, .real = number };
}

/* A number's size, whatever its type; 0 for others. */
static inline double value_number(struct value value)
{
	if (value.type == VALUE_INTEGER)
		return (double)value.integer;
	return value.type == VALUE_REAL ? value.real : 0;
}

/* Order: numbers by size, texts by strcmp(), empty ones last. Return: < 0, 0, > 0 */
static inline int value_compare(struct value a, struct value b)
{
	double left = value_number(a), right = value_number(b);

	if (a.type == VALUE_EMPTY || b.type == VALUE_EMPTY)
		return (a.type == VALUE_EMPTY) - (b.type == VALUE_EMPTY);
	if (a.type == VALUE_TEXT && b.type == VALUE_TEXT)
		return strcmp(a.text, b.text);
	return (left > right) - (left < right);
}

#define COLUMN_SUMS	1u	/* values of different rows may be added: "12 others" has their sum */
#define COLUMN_LEFT	2u	/* aligned to the left: texts */
#define COLUMN_NAME	4u	/* a function's name: --match looks here, text shortens it */
#define COLUMN_ROOM	8u	/* text gives it what room the others leave */
#define COLUMN_SPARE	16u	/* text leaves it out where the line would be too long, the last such one first */
#define COLUMN_WRAPS	32u	/* the last one: text goes on in the next line where it is too long */

#define COLUMN_ERROR	"+/-"	/* title of a standard error of the column before it; text prints the sign where it can */

struct column {
	const char *name;	/* part of the interface; ends with its unit */
	const char *title;	/* for people; "" where the column before it says it */
	unsigned int flags;
	struct value (*get)(const struct column *column, const void *row);
	size_t index;		/* the getter's own */
};

#define IN_TEXT	1u
#define IN_CSV	2u
#define IN_JSON	4u

struct table {
	const char *name;		/* key in json: "functions" */
	const char *what;		/* what its rows are, for people; NULL: as name */
	const char *title;		/* text: the line above it, with what is said of its rows; NULL: none */
	const char *note;		/* text: the line below; NULL: none */
	const char *column_note;	/* text: what goes on behind that where the column @noted is shown */
	const char *noted;
	const struct column *columns;
	size_t nr_columns;
	const char *text_columns;	/* as --columns; NULL: all */
	const char *data_columns;
	const char *text_sort;		/* as --sort; NULL: as the rows come */
	const char *data_sort;
	const char *weight;		/* the column of --min-percent where rows are not sorted by one; NULL: none */
	size_t text_top;		/* as --top; 0: all */
	size_t data_top;
	bool fixed;			/* selects and orders its rows itself; without its own columns */
	bool aside;			/* --sort, --columns and the like mean another table of the view */
	unsigned int formats;		/* IN_TEXT ... that show it */

	bool (*is_bad)(const void *row);	/* text on a terminal shows it in red; NULL: none is */
	size_t row_bytes;
	/* Write the next row. Return: false when there are no more. Afterwards it starts again. */
	bool (*next)(struct table *table, void *row);
	void *source;			/* next's own */
	size_t at;			/* next's own, 0 at first */
	size_t nr_given;		/* rows given out so far; rows.c's own to count */
	size_t nr_left_out;		/* fixed: rows that it leaves out, known before the first */
};

/* next() of tables whose rows are in memory: source is the first, nr_rows their number. */
struct table_rows {
	const void *rows;
	size_t nr_rows;
};
bool table_next_row(struct table *table, void *row);

/* The column of that name, or NULL. */
const struct column *table_find_column(const struct table *table, const char *name, size_t length);

/* The column of that name, or that the key stands for; NULL: there is none in @table */
const struct column *sort_column(const struct table *table, const char *name);

#endif
