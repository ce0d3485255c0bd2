/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text for people: aligned columns with units, fitted to the terminal. */
#include "analyzer/formats/formats.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/ask/table_select.h"
#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/utf8.h"

#define LABEL_WIDTH	10
#define GAP		"  "
#define ROOM_MIN	16	/* least width of the column that takes the remaining room */
/* least width of that column as long as spare columns can be dropped for it */
#define ROOM_GOOD	32
#define BOLD		"\033[1m"
#define DIM		"\033[2m"
#define RED		"\033[31m"
#define PLAIN		"\033[0m"

/* The cells of a table as they will be printed. */
struct grid {
	const struct terminal *terminal;
	const struct rows *rows;
	char **cells;		/* [row * nr_columns + column]; row 0 is the titles */
	size_t nr_cells;
	size_t others;		/* cell of "406 other functions", 0: none */
	size_t *widths;
	bool *hidden;		/* columns that the line has no room for */
	const char **styles;	/* [row] */
};

static void add_cell(struct grid *grid, char *text)
{
	APPEND(grid->cells, grid->nr_cells) = text;
}

static char *number_cell(const struct grid *grid, struct value value)
{
	bool utf8 = grid->terminal->utf8;
	char number[UNIT_TEXT_MAX], primitive[UNIT_TEXT_MAX];

	return xasprintf("%s%s%s%s",
			 value.is_sampled    ? (utf8 ? "≈" : "~")
			 : value.is_bound    ? (utf8 ? "≤" : "<")
			 : value.is_doubtful ? "~"
					     : "",
			 unit_format(number, value.unit, value_number(value)), value.primitive ? "/" : "",
			 value.primitive ? unit_format(primitive, value.unit, value.primitive) : "");
}

static char *value_cell(const struct grid *grid, const struct column *column, struct value value)
{
	char *text, *cell;

	if (value.type == VALUE_EMPTY)
		return xstrdup("");
	if (value.type != VALUE_TEXT)
		return number_cell(grid, value);
	text = column->flags & COLUMN_NAME && !value.is_literal ? name_short(value.text)
								: xstrdup(value.text);
	if (value.apart) {
		cell = text;
		text = xasprintf("%s (%s)", cell, value.apart);
		free(cell);
	}
	cell = terminal_text(grid->terminal, text);
	free(text);
	text = xasprintf("%*s%s", (int)(2 * value.indent), "", cell);
	free(cell);
	return text;
}

static void add_row(struct grid *grid, const void *row)
{
	for (size_t i = 0; i < grid->rows->nr_columns; i++)
		add_cell(grid, value_cell(grid, grid->rows->columns[i], rows_value(grid->rows, i, row)));
}

static const char *what(const struct table *table)
{
	return table->what ? table->what : table->name;
}

/*
 * Length of the singular: "process" of "processes", "function" of "functions"; a longer text is left as it
 * is.
 */
static int singular_length(const char *plural)
{
	int length = (int)strlen(plural);

	if (strstr(plural, " of "))
		return length;
	return length - (length > 4 && strcmp(plural + length - 4, "sses") == 0 ? 2 : 1);
}

/* Add the line "406 other functions", with the sums that make sense for them. */
static void add_rest(struct grid *grid, size_t nr_rest)
{
	const struct rows *rows = grid->rows;
	const char *words = what(rows->table);
	int length = nr_rest == 1 ? singular_length(words) : (int)strlen(words);
	bool said = false;

	for (size_t i = 0; i < rows->nr_columns; i++) {
		const struct column *column = rows->columns[i];
		size_t nr_known = rows->totals[i].nr - rows->shown[i].nr;
		bool is_known = column->flags & COLUMN_SUMS && nr_known &&
				!(column->flags & COLUMN_ALL && nr_known < nr_rest);
		struct value value = !is_known ? value_empty()
					       : value_real(rows->totals[i].unit,
							    rows->totals[i].sum - rows->shown[i].sum);

		if ((column->flags & (COLUMN_NAME | COLUMN_ROOM | COLUMN_WRAPS)) && !said) {
			grid->others = grid->nr_cells;
			add_cell(grid, strstr(words, " of ") ? xasprintf("%zu others", nr_rest) :
				 xasprintf("%zu other %.*s", nr_rest, length, words));
			said = true;
		} else {
			add_cell(grid, value_cell(grid, column, value));
		}
	}
}

/* Length of the line of a place in a source, as ":141". 0: the text is no place. */
static size_t line_length(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")] ? strlen(colon) : 0;
}

typedef char *fit_text(const char *text, size_t width, const char *cut);

/* Keep the indentation, up to half of the width, and the line of a place. */
static char *fit_cell(const struct grid *grid, const char *cell, fit_text *fit, size_t width)
{
	size_t indent = strspn(cell, " "), kept = indent < width / 2 ? indent : width / 2;
	size_t tail = fit == text_fit ? line_length(cell) : 0, head = strlen(cell + indent) - tail;
	char *whole = xasprintf("%.*s", (int)head, cell + indent);
	char *name = fit(whole, width > kept + tail ? width - kept - tail : 1,
			 grid->terminal->utf8 ? "…" : "...");
	char *fitted = xasprintf("%*s%s%s", (int)kept, "", name, cell + indent + head);

	free(whole);
	free(name);
	return fitted;
}

struct cut_name {
	char *whole;
	char **cell;	/* has what is left of it */
};

static int by_cell(const void *a, const void *b)
{
	return strcmp(*((const struct cut_name *)a)->cell, *((const struct cut_name *)b)->cell);
}

/* Two functions of one template may have the same text left: then the end is shown, where they differ. */
static void tell_apart(const struct grid *grid, struct cut_name *names, size_t nr, size_t width)
{
	size_t end;

	qsort(names, nr, sizeof(*names), by_cell);
	for (size_t i = 0; i < nr; i = end) {
		bool differ = false;

		for (end = i + 1; end < nr && by_cell(&names[i], &names[end]) == 0; end++)
			differ |= strcmp(names[i].whole, names[end].whole) != 0;
		for (size_t same = i; differ && same < end; same++) {
			free(*names[same].cell);
			*names[same].cell = fit_cell(grid, names[same].whole, name_fit_end, width);
		}
	}
}

static void fit_column(struct grid *grid, size_t column, size_t width)
{
	bool are_names = grid->rows->columns[column]->flags & COLUMN_NAME;
	struct cut_name *names = xcalloc(grid->nr_cells / grid->rows->nr_columns + 1, sizeof(*names));
	size_t nr = 0;

	for (size_t i = column; i < grid->nr_cells; i += grid->rows->nr_columns) {
		char *cell = grid->cells[i];
		const bool is_name = are_names && i != grid->others;

		if (utf8_columns(cell) <= width)
			continue;
		grid->cells[i] = fit_cell(grid, cell, is_name ? name_fit : text_fit, width);
		if (is_name)
			names[nr++] = (struct cut_name){ cell, &grid->cells[i] };
		else
			free(cell);
	}
	if (nr)
		tell_apart(grid, names, nr, width);
	while (nr)
		free(names[--nr].whole);
	free(names);
	grid->widths[column] = width;
}

/* Width of all columns, if those that can shrink take at most @room_each. */
static size_t used_width(const struct grid *grid, size_t room_each)
{
	size_t used = 0;

	for (size_t i = 0; i < grid->rows->nr_columns; i++) {
		bool shares = grid->rows->columns[i]->flags & (COLUMN_ROOM | COLUMN_WRAPS);

		if (!grid->hidden[i])
			used += strlen(GAP) +
				(shares && grid->widths[i] > room_each ? room_each : grid->widths[i]);
	}
	return used;
}

/* Hide spare columns first, until the line reads well; then any other, until the line fits the terminal. */
static void hide_columns(struct grid *grid)
{
	const struct rows *rows = grid->rows;

	for (size_t i = rows->nr_columns; i-- > 0 && used_width(grid, ROOM_GOOD) > grid->terminal->width;)
		grid->hidden[i] = !rows->options->columns && rows->columns[i]->flags & COLUMN_SPARE;
	for (size_t i = rows->nr_columns; i-- > 1 && used_width(grid, ROOM_MIN) > grid->terminal->width;)
		grid->hidden[i] |=
			!rows->options->columns && !(rows->columns[i]->flags & (COLUMN_ROOM | COLUMN_WRAPS));
}

static bool has_room(const struct grid *grid, size_t column)
{
	return grid->rows->columns[column]->flags & COLUMN_ROOM && !grid->hidden[column];
}

/*
 * How much of @left @column may take. Each later column with COLUMN_ROOM gets what it needs, up to its
 * share.
 */
static size_t fair_share(const struct grid *grid, size_t column, size_t left)
{
	size_t nr = 1, others = 0, share;

	for (size_t i = column + 1; i < grid->rows->nr_columns; i++)
		nr += has_room(grid, i);
	share = left / nr;
	for (size_t i = column + 1; i < grid->rows->nr_columns; i++)
		if (has_room(grid, i))
			others += grid->widths[i] < share ? grid->widths[i] : share;
	return left - others;
}

/* Set the widths. Columns with COLUMN_ROOM share the room that the others leave. */
static void measure(struct grid *grid)
{
	size_t nr = grid->rows->nr_columns, used, left, share;

	for (size_t i = 0; i < grid->nr_cells; i++)
		if (utf8_columns(grid->cells[i]) > grid->widths[i % nr])
			grid->widths[i % nr] = utf8_columns(grid->cells[i]);
	hide_columns(grid);
	used = used_width(grid, 0);
	left = grid->terminal->width > used ? grid->terminal->width - used : 0;
	for (size_t i = 0; i < nr; i++) {
		if (!has_room(grid, i))
			continue;
		share = fair_share(grid, i, left);
		if (share < ROOM_MIN)
			share = ROOM_MIN;
		if (grid->widths[i] > share)
			fit_column(grid, i, share);
		left -= grid->widths[i] < left ? grid->widths[i] : left;
	}
}

/* Print a text that begins in column @at, in as many lines as necessary. */
static void print_long_cell(FILE *out, const struct terminal *terminal, const char *cell, size_t at)
{
	size_t width = terminal->width > at + ROOM_MIN ? terminal->width - at : SIZE_MAX, length;

	for (;; fprintf(out, "\n%*s", (int)at, "")) {
		length = wrap_length(cell, width);
		fprintf(out, "%.*s", (int)length, cell);
		cell += length + strspn(cell + length, " ");
		if (!*cell)
			return;
	}
}

static void print_line(FILE *out, const struct grid *grid, size_t row, const char *style)
{
	size_t nr = grid->rows->nr_columns, spaces = 0, at = 0;

	if (grid->terminal->colour && style[0])
		fputs(style, out);
	for (size_t i = 0; i < nr; i++) {
		const char *cell = grid->cells[row * nr + i];
		size_t pad = grid->widths[i] - utf8_columns(cell);
		bool left = grid->rows->columns[i]->flags & COLUMN_LEFT;

		if (grid->hidden[i])
			continue;
		spaces += strlen(GAP) + (left ? 0 : pad);
		at += strlen(GAP);
		if (cell[0]) {
			fprintf(out, "%*s", (int)spaces, "");
			if (grid->rows->columns[i]->flags & COLUMN_WRAPS)
				print_long_cell(out, grid->terminal, cell, at);
			else
				fputs(cell, out);
			spaces = 0;
		}
		spaces += left ? pad : 0;
		at += grid->widths[i];
	}
	if (grid->terminal->colour && style[0])
		fputs(PLAIN, out);
	putc('\n', out);
}

/*
 * Print @text after @front, in as many lines as necessary; lines after the first are indented. Frees @text.
 */
static void print_wrapped(FILE *out, const struct terminal *terminal, const char *front, char *text)
{
	char *clean = terminal_text(terminal, text);
	size_t width = terminal->width > strlen(GAP) ? terminal->width - strlen(GAP) : 1;
	const char *rest = clean;

	do {
		size_t length = wrap_length(rest, width);

		fprintf(out, "%s%.*s\n", front, (int)length, rest);
		front = GAP;
		rest += length + strspn(rest + length, " ");
	} while (*rest);
	free(clean);
	free(text);
}

/* "indexd: 6 of 412 functions by self_ns, 95.4 % of it (--top 0: all; --sort COLUMN, --columns LIST)" */
static void print_title(FILE *out, const struct terminal *terminal, const struct rows *rows)
{
	const struct table *table = rows->table;
	size_t nr_total = rows->nr_total + table->nr_left_out;
	bool some = rows->nr_kept < nr_total, has_share;
	int length = nr_total == 1 ? singular_length(what(table)) : (int)strlen(what(table));
	char share[UNIT_TEXT_MAX], *count;

	if (!table->title)
		return;
	has_share = some && rows->sort && (rows->sort->flags & COLUMN_SUMS) && rows->sort_total > 0;
	count = some ? xasprintf("%zu of %zu", rows->nr_kept, nr_total) : xasprintf("%zu", rows->nr_kept);
	print_wrapped(out, terminal, "",
		      xasprintf("%s: %s %.*s%s%s%s%s%s%s%s", table->title, count, length, what(table),
				rows->sort ? " by " : "", rows->sort ? rows->sort->name : "",
				rows->sort && rows->options->reverse ? ", reversed" : "",
				has_share ? ", " : "",
				has_share ? unit_format(share, UNIT_PERCENT,
							100 * rows->sort_shown / rows->sort_total)
					  : "",
				has_share ? " of it" : "",
				some ? " (--top 0: all; --sort COLUMN, --columns LIST)" : ""));
	free(count);
}

static void print_grid(FILE *out, struct grid *grid, struct rows *rows)
{
	size_t nr_rest = rows->nr_total - rows->nr_kept;
	const void *row;

	for (size_t i = 0; i < rows->nr_columns; i++)
		add_cell(grid,
			 xstrdup(grid->terminal->utf8 && strcmp(rows->columns[i]->title, COLUMN_ERROR) == 0
					 ? "±"
					 : rows->columns[i]->title));
	for (size_t i = 1; (row = rows_next(rows)) != NULL; i++) {
		grid->styles[i] = rows->table->is_bad && rows->table->is_bad(row) ? RED : "";
		add_row(grid, row);
	}
	if (nr_rest)
		add_rest(grid, nr_rest);
	measure(grid);
	print_line(out, grid, 0, BOLD);
	for (size_t i = 0; i < rows->nr_kept; i++)
		print_line(out, grid, i + 1, grid->styles[i + 1]);
	if (nr_rest)
		print_line(out, grid, rows->nr_kept + 1, DIM);
}

static char *note_text(const struct grid *grid, const struct table *table)
{
	bool is_shown = false;

	for (size_t i = 0; i < grid->rows->nr_columns && table->noted; i++)
		is_shown |= !grid->hidden[i] && strcmp(grid->rows->columns[i]->name, table->noted) == 0;
	return xasprintf("%s%s", table->note, is_shown ? table->column_note : "");
}

static void print_table(FILE *out, const struct terminal *terminal, struct table *table,
			const struct options *options)
{
	struct rows rows;
	struct grid grid = { .terminal = terminal, .rows = &rows };

	rows_open(&rows, table, options, true);
	grid.widths = xcalloc(rows.nr_columns, sizeof(*grid.widths));
	grid.styles = xcalloc(rows.nr_kept + 2, sizeof(*grid.styles));
	grid.hidden = xcalloc(rows.nr_columns, sizeof(*grid.hidden));
	print_title(out, terminal, &rows);
	print_grid(out, &grid, &rows);
	if (table->note)
		print_wrapped(out, terminal, GAP, note_text(&grid, table));
	for (size_t i = 0; i < grid.nr_cells; i++)
		free(grid.cells[i]);
	free(grid.cells);
	free(grid.widths);
	free(grid.hidden);
	free(grid.styles);
	rows_close(&rows);
}

/* Print the label and the lines, aligned in one column. */
static void print_lines(FILE *out, const struct terminal *terminal, const struct section *section)
{
	const char *front = section->label ? section->label : "", *text = section->text;
	size_t indent = section->label ? LABEL_WIDTH : 0;
	size_t width = !section->wraps ? SIZE_MAX : terminal->width > indent ? terminal->width - indent : 1;

	do {
		size_t length = wrap_length(text, width);
		char *line = strndup(text, length), *clean = terminal_text(terminal, line ? line : "");
		int room = clean[0] ? (int)indent : 0;

		if (terminal->colour && front[0])
			fprintf(out, BOLD "%-*s" PLAIN "%s\n", room, front, clean);
		else
			fprintf(out, "%-*s%s\n", room, front, clean);
		free(clean);
		free(line);
		front = "";
		text += length + (text[length] != '\0');
	} while (*text);
}

void format_text(FILE *out, struct document *document, const struct options *options)
{
	struct terminal terminal;

	terminal_init(&terminal, options->screen ? options->screen : out);
	for (size_t i = 0; i < document->nr_sections; i++) {
		const struct section *section = &document->sections[i];

		if (section->table && !(section->table->formats & IN_TEXT))
			continue;
		if (section->apart)
			putc('\n', out);
		if (section->text)
			print_lines(out, &terminal, section);
		if (section->table)
			print_table(out, &terminal, section->table, options);
	}
}
