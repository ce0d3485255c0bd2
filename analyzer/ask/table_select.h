/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of a table as the options want them: --match, --filter, --sort, --reverse, --top, --restrict,
 * --columns. Rows that need no order and no limit are passed on one by one; of sorted and limited ones no
 * more than twice --top are kept.
 */
#pragma once

#include "analyzer/ask/options.h"
#include "analyzer/tables/table.h"

/* Sums over the values of a column that are not empty. */
struct column_sum {
	double sum;
	size_t nr;
	enum unit unit;
};

/* Rows of a table as the options want them. */
struct rows {
	struct table *table;
	const struct options *options;
	const struct column **columns;	/* selected ones, in order */
	size_t nr_columns;
	const struct column *sort;	/* NULL: as they come */
	const struct column *names;	/* that --match looks at; NULL: all rows */
	struct row_filter *filter;	/* NULL: all rows */
	const struct column *weight;	/* that --min-percent looks at; NULL: it was not given */
	double least;			/* rows whose weight is less are not kept */
	size_t top;			/* 0: all */
	bool restricts;			/* --restrict applies */
	bool has_sums;			/* any column with COLUMN_SUMS */
	bool collects;			/* rows are kept in memory: they are sorted or limited */
	char *kept;			/* struct kept_row and row, nr_kept times */
	size_t nr_kept;
	bool has_keys;			/* of any row the sort column is known */
	bool is_full;			/* the first of kept are top rows in order: worse ones are not kept */
	size_t at;
	size_t nr_total;		/* rows that matched; complete when all were given out or collected */
	struct column_sum *totals;	/* for each selected column, over all that matched */
	struct column_sum *shown;	/* over those given out */
	double sort_total;		/* of the sort column */
	double sort_shown;
	void *row;
};

/**
 * rows_check() - do the columns exist that @options name, and is --filter understood?
 * @text: for people, so the table's text_ defaults apply, and rows are kept for sums
 *
 * Return: 0, or EXIT_USAGE after a line on stderr
 */
int rows_check(struct table *table, const struct options *options, bool text);
/* Begin with the rows of a table that was checked. */
void rows_open(struct rows *rows, struct table *table, const struct options *options, bool text);
/* The next row, or NULL. It lives until the next call. */
const void *rows_next(struct rows *rows);
void rows_close(struct rows *rows);
/* The value of a cell of the current row. */
struct value rows_value(const struct rows *rows, size_t column, const void *row);
