/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table is what a view hands to a format. Each column has a getter. The table yields one row at a
 * time, so that a million calls need no more memory than ten. A row is a line of a table here; what a
 * log samples of a resource is a reading.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analyzer/base/units.h"

enum value_type {
	VALUE_EMPTY,		/* not measured, or meaningless here */
	VALUE_TEXT,
	VALUE_INTEGER,
	VALUE_REAL,
};

struct value {
	enum value_type type;
	enum unit unit;			/* unit of a number */
	bool is_doubtful;		/* a number that is not reliable: text marks it */
	bool is_sampled;		/* a time by samples: text marks it */
	bool is_bound;			/* a time that is at most this: text marks it */
	bool is_literal;		/* a name that is no declaration: text does not shorten it */
	unsigned int indent;		/* levels by which text indents it */
	uint64_t primitive;	/* of calls: not within themselves; text adds it; 0: all, or not known */
	/* text for people: distinguishes functions of one name; NULL: nothing */
	const char *apart;
	union {
		const char *text;	/* valid until the next row is read */
		int64_t integer;
		double real;
	};
};

/* These are inline, because a call for each of a million cells would wait for the copy. */
static inline struct value value_empty(void)
{
	return (struct value){ .type = VALUE_EMPTY };
}

/* NULL makes an empty value. */
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

/* The size of a number of either type; 0 for anything else. */
static inline double value_number(struct value value)
{
	if (value.type == VALUE_INTEGER)
		return (double)value.integer;
	return value.type == VALUE_REAL ? value.real : 0;
}

/* Numbers by size, texts by strcmp(), empty values last. Return: < 0, 0, > 0 */
static inline int value_compare(struct value a, struct value b)
{
	double left = value_number(a), right = value_number(b);

	if (a.type == VALUE_EMPTY || b.type == VALUE_EMPTY)
		return (a.type == VALUE_EMPTY) - (b.type == VALUE_EMPTY);
	if (a.type == VALUE_TEXT && b.type == VALUE_TEXT)
		return strcmp(a.text, b.text);
	return (left > right) - (left < right);
}

#define COLUMN_SUMS	1u	/* values may be added: the line "12 others" has their sum */
#define COLUMN_LEFT	2u	/* text, aligned to the left */
#define COLUMN_NAME	4u	/* a function's name: --match filters by it, text shortens it */
#define COLUMN_ROOM	8u	/* in text this column takes the room that the others leave */
#define COLUMN_SPARE	16u	/* text drops it where the line is too long, the last such column first */
#define COLUMN_ALL	2048u	/* with COLUMN_SUMS: an empty cell is not 0, so no sum has it */
#define COLUMN_FUNCTION	(COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM)
#define COLUMN_WRAPS	32u	/* the last column: text continues it in the next line */

/* csv and json have a column with such a flag only if --columns names it, or data_also has the flag */
#define COLUMN_TEXT	64u	/* for text */
#define COLUMN_RUNS	128u	/* for several runs */
#define COLUMN_SAMPLED	256u	/* for CPU samples */
#define COLUMN_EXTRA	512u	/* for some reports of the view */
#define COLUMN_WAITS	1024u	/* for samples of time */
#define COLUMN_ASKED	(COLUMN_TEXT | COLUMN_RUNS | COLUMN_SAMPLED | COLUMN_EXTRA | COLUMN_WAITS)

/* title of the standard error of the column before it; text prints the sign ± where it can */
#define COLUMN_ERROR	"+/-"

struct column {
	const char *name;	/* stable, for options and programs; ends with the unit */
	const char *title;	/* for people; "" if the column before it says it */
	unsigned int flags;
	struct value (*get)(const struct column *column, const void *row);
	size_t index;		/* for the getter alone */
};

/*
 * A column of a member of the row's struct: get and index of struct column. A number that is not finite, a
 * text of NULL, UINT64_MAX and INT64_MIN are not known, and leave the cell empty.
 * @unit: for numbers; | NOT_0 where 0 is not known either
 */
#define MEMBER(type, member, unit) \
	MEMBER_OF(type, member, unit, _Generic(&((type *)0)->member, \
		uint64_t *: MEMBER_U64, int64_t *: MEMBER_I64, uint32_t *: MEMBER_U32, \
		int32_t *: MEMBER_I32, bool *: MEMBER_BOOL, double *: MEMBER_REAL, \
		char **: MEMBER_TEXT, const char **: MEMBER_TEXT))
#define NOT_0	256u
/* A double: nanoseconds as a whole number, as of ns_cell(). */
#define MEMBER_NS(type, member) MEMBER_OF(type, member, UNIT_NS, MEMBER_NS_REAL)

#define MEMBER_OF(type, member, unit, kind) \
	member_cell, offsetof(type, member) | (size_t)(unit) << 32 | (size_t)(kind) << 48
enum member_type {
	MEMBER_U64, MEMBER_I64, MEMBER_U32, MEMBER_I32, MEMBER_BOOL, MEMBER_REAL, MEMBER_NS_REAL, MEMBER_TEXT,
};
struct value member_cell(const struct column *column, const void *row);

/* Nanoseconds as a whole number. Negative ones become 0: a sum of differences may be below 0. */
struct value ns_cell(double ns);

#define IN_TEXT	1u
#define IN_CSV	2u
#define IN_JSON	4u
#define IN_JUNIT	8u

/* Rows in memory: TABLE_ROWS(), or ROWS_OF() and document_add_row(). */
struct table_rows {
	size_t row_bytes;
	const void *list;
	size_t nr;
	size_t kept;		/* for document_add_row() alone */
};

#define ROWS_OF(type) { .row_bytes = sizeof(type) }
#define TABLE_ROWS(rows, nr_rows) { .row_bytes = sizeof(*(rows)), .list = (rows), .nr = (nr_rows) }
#define TABLE_COLUMNS(list) .columns = (list), .nr_columns = sizeof(list) / sizeof(*(list))

struct table {
	const char *name;		/* the key in json: "functions" */
	const char *what;		/* what a row is, for people; NULL: as name */
	/* text: the line above the table, to which the selection of rows is added; NULL: none */
	const char *title;
	const char *note;		/* text: the line below the table; NULL: none */
	const char *none;		/* text: shown instead of a table without rows in memory */
	const char *column_note;	/* text: added to the note where the column @noted is shown */
	const char *noted;
	const struct column *columns;
	size_t nr_columns;
	const char *text_columns;	/* default of --columns; NULL: all */
	const char *data_columns;	/* likewise; NULL: all but those that must be asked for */
	unsigned int data_also;		/* COLUMN_RUNS ...: these need not be asked for */
	const char *text_sort;		/* default of --sort; NULL: as the rows come */
	const char *data_sort;
	/* column for --min-percent where rows are not sorted by one; NULL: none */
	const char *weight;
	size_t text_top;		/* default of --top; 0: all */
	size_t data_top;
	/*
	 * selects, orders and lays out its rows itself; the user's --columns, --sort and --top do not
	 * apply
	 */
	bool fixed;
	/* the user's --sort, --columns and the like apply to another table of the view */
	bool aside;
	unsigned int formats;		/* the formats that show it; 0: IN_TEXT | IN_CSV | IN_JSON */
	bool apart;			/* preceded by an empty line */

	bool (*is_bad)(const void *row);	/* whether text on a terminal shows it in red; NULL: never */
	struct table_rows rows;		/* row_bytes at least */
	/*
	 * NULL: rows are in memory. Write the next row to @row. Return: false when there are no more; the
	 * next call starts again
	 */
	bool (*next)(struct table *table, void *row);
	void *source;			/* for next() alone */
	size_t at;			/* for next() alone; 0 at first */
	size_t nr_given;		/* rows yielded so far, counted by table_select.c */
	/* of a fixed table: rows that it leaves out, known before the first row */
	size_t nr_left_out;
};

void table_rows_sort(struct table_rows *rows, int (*compare)(const void *a, const void *b));
/* Copy the next row to @row. Return: as next() */
bool table_next(struct table *table, void *row);

/* The column of that name; NULL if there is none. */
const struct column *table_find_column(const struct table *table, const char *name, size_t length);

/* The column that --sort names: by its own name, or by a key of python's pstats. NULL if there is none. */
const struct column *sort_column(const struct table *table, const char *name);
