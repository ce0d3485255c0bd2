/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selecting and ordering a table's rows. */
#include "analyzer/ask/table_select.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/ask/restriction.h"
#include "analyzer/ask/table_filter.h"
#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/tables/table.h"
#include "insideme_pattern.h"

/* The head of a row that is kept. */
struct kept_row {
	struct value key;	/* of the sort column; texts are copied */
	size_t number;		/* rows of equal key stay in the order they came in */
};

static size_t kept_bytes(const struct rows *rows)
{
	return sizeof(struct kept_row) + (rows->table->rows.row_bytes + 7) / 8 * 8;
}

static struct kept_row *kept_row(const struct rows *rows, size_t i)
{
	return (struct kept_row *)(rows->kept + i * kept_bytes(rows));
}

static int no_such_column(const struct table *table, const char *option, const char *name, size_t length)
{
	char *list = xstrdup(""), *wanted = xasprintf("%.*s", (int)length, name), *near;
	struct nearest nearest = { .wanted = wanted };

	for (size_t i = 0; i < table->nr_columns; i++) {
		char *longer = xasprintf("%s%s%s", list, i ? "," : "", table->columns[i].name);

		free(list);
		list = longer;
		nearest_add(&nearest, table->columns[i].name);
	}
	near = nearest_text(&nearest);
	error("%s: no column '%s' in %s%s%s there are: %s", option, wanted, table->name, near,
	      near[0] ? "" : ";", list);
	free(list);
	free(near);
	free(wanted);
	return EXIT_USAGE;
}

/* @list: NULL: all that have none of the flags in @without. */
static int select_columns(struct rows *rows, const char *list, unsigned int without)
{
	const struct table *table = rows->table;

	for (size_t i = 0; !list && i < table->nr_columns; i++) {
		if (table->columns[i].flags & without)
			continue;
		APPEND(rows->columns, rows->nr_columns) = &table->columns[i];
	}
	while (list) {
		size_t length = strcspn(list, ",");
		const struct column *column = table_find_column(table, list, length);

		if (!column)
			return no_such_column(table, "--columns", list, length);
		APPEND(rows->columns, rows->nr_columns) = column;
		list = list[length] ? list + length + 1 : NULL;
	}
	return 0;
}

/* Largest number first, but texts in alphabetical order; --reverse turns both; empty ones stay last. */
static int compare_kept(const void *a, const void *b, void *context)
{
	const struct kept_row *left = a, *right = b;
	const struct rows *rows = context;
	int order = value_compare(left->key, right->key);
	bool numbers = left->key.type != VALUE_TEXT;

	if (left->key.type == VALUE_EMPTY || right->key.type == VALUE_EMPTY)
		numbers = rows->options->reverse;
	if (order != 0 && numbers != rows->options->reverse)
		order = -order;
	if (order != 0)
		return order;
	return (left->number > right->number) - (left->number < right->number);
}

/* The names of functions; NULL: the table has none. */
static const struct column *name_column(const struct table *table)
{
	for (size_t i = 0; i < table->nr_columns; i++)
		if (table->columns[i].flags & COLUMN_NAME)
			return &table->columns[i];
	return NULL;
}

static void swap_kept(struct rows *rows, size_t one, size_t other)
{
	char *a = rows->kept + one * kept_bytes(rows), *b = rows->kept + other * kept_bytes(rows);

	for (size_t i = 0; i < kept_bytes(rows); i++) {
		char byte = a[i];

		a[i] = b[i];
		b[i] = byte;
	}
}

static void drop_from(struct rows *rows, size_t first)
{
	for (size_t i = first; i < rows->nr_kept; i++)
		if (kept_row(rows, i)->key.type == VALUE_TEXT)
			free((char *)kept_row(rows, i)->key.text);
	if (rows->nr_kept > first)
		rows->nr_kept = first;
}

static void sort_kept(struct rows *rows)
{
	if (rows->nr_kept && rows->sort)
		qsort_r(rows->kept, rows->nr_kept, kept_bytes(rows), compare_kept, rows);
	if (rows->top)
		drop_from(rows, rows->top);
	rows->is_full = rows->top && rows->nr_kept == rows->top;
}

static void add_sums(const struct rows *rows, struct column_sum *sums, const void *row)
{
	for (size_t i = 0; rows->has_sums && i < rows->nr_columns; i++) {
		struct value value =
			rows->columns[i]->flags & COLUMN_SUMS ? rows_value(rows, i, row) : value_empty();

		if (value.type == VALUE_EMPTY)
			continue;
		sums[i].nr++;
		sums[i].unit = value.unit;
		sums[i].sum += value_number(value);
	}
}

static void keep_row(struct rows *rows)
{
	struct kept_row kept = { .number = rows->nr_total };

	add_sums(rows, rows->totals, rows->row);
	if (rows->sort)
		kept.key = rows->sort->get(rows->sort, rows->row);
	rows->has_keys |= kept.key.type != VALUE_EMPTY;
	rows->sort_total += value_number(kept.key);
	if (rows->weight && value_number(rows->weight->get(rows->weight, rows->row)) < rows->least)
		return;
	if (!rows->sort && rows->top && rows->nr_kept == rows->top)
		return;
	if (rows->is_full && compare_kept(&kept, kept_row(rows, rows->top - 1), rows) > 0)
		return;
	if (rows->top && rows->nr_kept >= 2 * rows->top + 64)
		sort_kept(rows);
	if (kept.key.type == VALUE_TEXT)
		kept.key.text = xstrdup(kept.key.text);
	rows->kept = xgrow(rows->kept, rows->nr_kept, kept_bytes(rows));
	memcpy(kept_row(rows, rows->nr_kept), &kept, sizeof(kept));
	memcpy(kept_row(rows, rows->nr_kept) + 1, rows->row, rows->table->rows.row_bytes);
	rows->nr_kept++;
}

static struct value value_named(const struct rows *rows, const char *name, const void *row)
{
	const struct column *column = table_find_column(rows->table, name, strlen(name));

	return column ? column->get(column, row) : value_empty();
}

static bool place_matches(const struct rows *rows, const struct glob *place)
{
	struct value file = value_named(rows, "file", rows->row),
		     module = value_named(rows, "module", rows->row);

	return (file.type == VALUE_TEXT && glob_fits_path(place, file.text)) ||
	       (module.type == VALUE_TEXT && glob_fits_path(place, module.text));
}

/* As selector.h does, by the row's cells. */
static bool row_matches(const struct rows *rows)
{
	const char *match = rows->options->match;
	struct value value = rows->names->get(rows->names, rows->row);
	struct pattern pattern = pattern_of(match, strlen(match));

	if (value.type != VALUE_TEXT)
		return false;
	if (name_matches(match, value.text))
		return true;
	if (pattern.may_be_place)
		return place_matches(rows, &pattern.name);
	return pattern.place.bytes && name_matches(pattern.name.start, value.text) &&
	       place_matches(rows, &pattern.place);
}

static bool next_match(struct rows *rows)
{
	while (table_next(rows->table, rows->row)) {
		if (rows->names && !row_matches(rows))
			continue;
		if (rows->filter && !row_filter_passes(rows->filter, rows->row))
			continue;
		rows->nr_total++;
		return true;
	}
	return false;
}

/*
 * --min-percent of the sum over all rows or, if they have no sum, of the largest row. In a pass of its own.
 */
static void find_least(struct rows *rows)
{
	double sum = 0, largest = 0;

	while (next_match(rows)) {
		double value = value_number(rows->weight->get(rows->weight, rows->row));

		sum += value;
		largest = value > largest ? value : largest;
	}
	rows->nr_total = 0;
	if (rows->filter)
		row_filter_reset(rows->filter);
	rows->least = (rows->weight->flags & COLUMN_SUMS ? sum : largest) * rows->options->min_percent / 100;
}

static bool is_restricted(const struct rows *rows, const struct restriction *restriction, const void *row)
{
	const struct column *names = name_column(rows->table);
	struct value line = value_named(rows, "line", row), file = value_named(rows, "file", row), name;

	name = names ? names->get(names, row) : value_empty();
	return name.type == VALUE_TEXT &&
	       restriction_matches(restriction, file.type == VALUE_TEXT ? file.text : NULL,
				   (unsigned int)value_number(line), name.text);
}

/* Applies to the sorted rows that the earlier restrictions have left. */
static void restrict_kept(struct rows *rows, const char *text)
{
	struct restriction restriction;
	size_t nr = 0;

	if (restriction_parse(&restriction, text) < 0)
		return;
	for (size_t i = 0; i < rows->nr_kept && restriction.kind == RESTRICT_MATCH; i++) {
		if (!is_restricted(rows, &restriction, kept_row(rows, i) + 1))
			continue;
		swap_kept(rows, i, nr++);
	}
	drop_from(rows,
		  restriction.kind == RESTRICT_MATCH ? nr : restriction_rows(&restriction, rows->nr_kept));
	restriction_release(&restriction);
}

static void collect(struct rows *rows)
{
	if (rows->weight)
		find_least(rows);
	while (next_match(rows))
		keep_row(rows);
	sort_kept(rows);
	for (size_t i = 0; rows->restricts && i < rows->options->nr_restrictions; i++)
		restrict_kept(rows, rows->options->restrictions[i]);
	if (rows->options->sort && rows->nr_kept && !rows->has_keys && !rows->table->aside)
		warning("--sort %s: it is not known of any row, so rows are in no order",
			rows->options->sort);
	for (size_t i = 0; i < rows->nr_kept; i++) {
		add_sums(rows, rows->shown, kept_row(rows, i) + 1);
		rows->sort_shown += value_number(kept_row(rows, i)->key);
	}
}

static int choose_names(struct rows *rows)
{
	const struct table *table = rows->table;

	if (!rows->options->match || table->fixed)
		return 0;
	rows->names = name_column(table);
	if (rows->names || table->aside)
		return 0;
	error("--match: %s have no function names", table->name);
	return EXIT_USAGE;
}

static int choose_restrictions(struct rows *rows)
{
	const struct table *table = rows->table;
	struct restriction restriction;
	bool needs_names = false;

	if (!rows->options->restrictions || table->aside)
		return 0;
	for (size_t i = 0; i < rows->options->nr_restrictions; i++) {
		if (restriction_parse(&restriction, rows->options->restrictions[i]) < 0)
			continue;
		needs_names |= restriction.kind == RESTRICT_MATCH;
		restriction_release(&restriction);
	}
	rows->restricts = true;
	if (table->fixed)
		error("--restrict: %s are chosen by the view", table->what ? table->what : table->name);
	else if (needs_names && !name_column(table))
		error("--restrict: %s have no function names", table->name);
	else
		return 0;
	return EXIT_USAGE;
}

static int choose_filter(struct rows *rows)
{
	const struct table *table = rows->table;

	if (!rows->options->row_filter || table->aside)
		return 0;
	if (table->fixed) {
		error("--filter: %s are chosen by the view", table->what ? table->what : table->name);
		return EXIT_USAGE;
	}
	rows->filter = row_filter_new(table, rows->options->row_filter);
	return rows->filter ? 0 : EXIT_USAGE;
}

/* If rows are not sorted by numbers, the view knows their weight. */
static int choose_weight(struct rows *rows)
{
	const struct table *table = rows->table;
	const char *name = table->weight ? table->weight : table->text_sort;

	if (!rows->options->min_percent || table->aside || table->fixed)
		return 0;
	if (rows->sort && !(rows->sort->flags & COLUMN_LEFT))
		rows->weight = rows->sort;
	else if (name)
		rows->weight = table_find_column(table, name, strlen(name));
	if (rows->weight)
		return 0;
	error("--min-percent: %s have no order by size; --sort COLUMN gives them one", table->name);
	return EXIT_USAGE;
}

static int choose_order(struct rows *rows, bool text)
{
	const struct table *table = rows->table;
	const struct options *options = rows->options;
	const char *sort = text ? table->text_sort : table->data_sort;

	if (!table->aside && options->sort)
		sort = options->sort;
	if (sort)
		rows->sort = sort_column(table, sort);
	if (sort && !rows->sort)
		return no_such_column(table, "--sort", sort, strlen(sort));
	rows->top = options->top_given && !table->aside ? options->top :
		    rows->restricts			? 0 :
		    text				? table->text_top : table->data_top;
	if (table->fixed) {
		rows->sort = NULL;
		rows->top = 0;
	}
	if (choose_weight(rows) != 0)
		return EXIT_USAGE;
	rows->collects = text || rows->sort || rows->top || rows->weight || rows->restricts;
	return 0;
}

/* The column that rows are sorted by is shown, unless the user chose the columns. */
static void show_sort_column(struct rows *rows)
{
	if (!rows->sort || rows->sort->flags & COLUMN_LEFT)
		return;
	for (size_t i = 0; i < rows->nr_columns; i++)
		if (rows->columns[i] == rows->sort)
			return;
	rows->columns = xgrow(rows->columns, rows->nr_columns, sizeof(*rows->columns));
	memmove(rows->columns + 1, rows->columns, rows->nr_columns++ * sizeof(*rows->columns));
	rows->columns[0] = rows->sort;
}

static int choose(struct rows *rows, struct table *table, const struct options *options, bool text)
{
	const char *list = text ? table->text_columns : table->data_columns;
	int status;

	*rows = (struct rows){ .table = table, .options = options };
	if (options->columns && !table->aside)
		list = options->columns;
	status = select_columns(rows, list, text ? 0 : COLUMN_ASKED & ~table->data_also);
	if (status == 0)
		status = choose_names(rows);
	if (status == 0)
		status = choose_filter(rows);
	if (status == 0)
		status = choose_restrictions(rows);
	if (status == 0)
		status = choose_order(rows, text);
	if (status == 0 && text && options->sort && !options->columns && !table->aside)
		show_sort_column(rows);
	return status;
}

int rows_check(struct table *table, const struct options *options, bool text)
{
	struct rows rows;
	int status = choose(&rows, table, options, text);

	row_filter_free(rows.filter);
	free(rows.columns);
	return status;
}

void rows_open(struct rows *rows, struct table *table, const struct options *options, bool text)
{
	choose(rows, table, options, text);
	rows->row = xcalloc(1, table->rows.row_bytes);
	rows->totals = xcalloc(rows->nr_columns, sizeof(*rows->totals));
	rows->shown = xcalloc(rows->nr_columns, sizeof(*rows->shown));
	for (size_t i = 0; i < rows->nr_columns; i++)
		rows->has_sums |= (rows->columns[i]->flags & COLUMN_SUMS) != 0;
	if (rows->collects)
		collect(rows);
}

const void *rows_next(struct rows *rows)
{
	const void *row = NULL;

	if (!rows->collects)
		row = next_match(rows) ? rows->row : NULL;
	else if (rows->at < rows->nr_kept)
		row = kept_row(rows, rows->at++) + 1;
	rows->table->nr_given += row != NULL;
	return row;
}

void rows_close(struct rows *rows)
{
	drop_from(rows, 0);
	row_filter_free(rows->filter);
	free(rows->columns);
	free(rows->kept);
	free(rows->totals);
	free(rows->shown);
	free(rows->row);
}

struct value rows_value(const struct rows *rows, size_t column, const void *row)
{
	return rows->columns[column]->get(rows->columns[column], row);
}
