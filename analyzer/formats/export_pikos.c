/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pikos's records, in its own layout. */
#include "analyzer/formats/export_pikos.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/names.h"
#include "analyzer/base/stream_file.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/utf8.h"
#include "analyzer/cells/events_table.h"
#include "analyzer/formats/export.h"

#define RECORD_COLUMNS	"index,type,function,rss_bytes,vms_bytes,line,file,pid,thread"
#define LINE_COLUMNS	"index,function,line,rss_bytes,vms_bytes,text,file,pid,thread"
#define OTHER_WIDTH	12

/* Widths in text; numbers are aligned to the right, as in pikos's template. */
static const struct { const char *column; int width;
} widths[] = {
	{ "index", 8 }, { "type", 9 },	{ "function", 30 }, { "rss_bytes", 15 }, { "vms_bytes", 15 },
	{ "line", 6 },	{ "text", 50 }, { "file", 24 }, { "pid", 7 },	    { "thread", 7 },
};

static bool next_event(struct table *table, void *row)
{
	return call_events_next(table->source, row);
}

/* The table of lines, if that view was asked for; otherwise the table of calls. */
static bool is_of_lines(const struct options *options)
{
	return strcmp(options->view, steps_table.name) == 0;
}

static struct table table_of(const struct options *options)
{
	struct table table = is_of_lines(options) ? steps_table : events_table;

	table.data_columns = is_of_lines(options) ? LINE_COLUMNS : RECORD_COLUMNS;
	table.next = is_of_lines(options) ? step_rows_next : next_event;
	return table;
}

/* Rows of calls are written while they are read, so they cannot be sorted or counted first. */
static bool wants_all_rows(const struct options *options)
{
	return !is_of_lines(options) && (options->sort || options->top || options->nr_restrictions);
}

int pikos_check(const struct report *report)
{
	struct table table = table_of(report->options);
	const char *path = report->options->output;
	FILE *out;
	int status = rows_check(&table, report->options, false);

	if (!status && wants_all_rows(report->options)) {
		error("--sort, --top, --restrict: not of rows in the order of time; -v events has them");
		return EXIT_USAGE;
	}
	if (status || !path)
		return status;
	if (stream_path(path)) {
		if (stream_check(stream_path(path)) == 0)
			return 0;
		error("-o %s: neither a pipe nor a Unix socket", path);
		return EXIT_USAGE;
	}
	out = fopen(path, "ae");
	if (!out) {
		error("cannot write %s: %s", path, strerror(errno));
		return EXIT_FAILURE;
	}
	fclose(out);
	return 0;
}

static int width_of(const struct column *column)
{
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
		if (strcmp(widths[i].column, column->name) == 0)
			return widths[i].width;
	return OTHER_WIDTH;
}

/* Print a cell of text, padded to the width of its column. The last cell of a line is not padded. */
static void print_cell(struct pikos *pikos, size_t i, const char *text)
{
	const struct column *column = pikos->rows.columns[i];
	bool is_last = i + 1 == pikos->rows.nr_columns, is_left = column->flags & COLUMN_LEFT;
	size_t width = (size_t)width_of(column), used = utf8_columns(text);
	int pad = used < width ? (int)(width - used) : 0;

	fprintf(pikos->out, "%s%*s%s%*s", i ? " | " : "", is_left ? 0 : pad, "", text,
		is_left && !is_last ? pad : 0, "");
}

static void print_value(struct pikos *pikos, size_t i, struct value value)
{
	static const struct terminal any = { .utf8 = true };
	char number[UNIT_PLAIN_MAX] = "", *text, *name;

	if (value.type != VALUE_TEXT) {
		if (value.type == VALUE_INTEGER)
			snprintf(number, sizeof(number), "%" PRId64, value.integer);
		else if (value.type == VALUE_REAL)
			unit_plain(number, value.real);
		print_cell(pikos, i, number);
		return;
	}
	name = pikos->rows.columns[i]->flags & COLUMN_NAME && !value.is_literal ? name_short(value.text)
										: xstrdup(value.text);
	text = terminal_text(&any, name);
	print_cell(pikos, i, text);
	free(text);
	free(name);
}

static void write_text(struct pikos *pikos, const void *row)
{
	for (size_t i = 0; i < pikos->rows.nr_columns; i++)
		print_value(pikos, i, rows_value(&pikos->rows, i, row));
	putc('\n', pikos->out);
}

static void write_csv(struct pikos *pikos, const void *row)
{
	for (size_t i = 0; i < pikos->rows.nr_columns; i++) {
		if (i)
			row_add_delimiter(&pikos->line);
		row_add_csv(&pikos->line, rows_value(&pikos->rows, i, row));
	}
	row_end_csv(&pikos->line, pikos->out);
}

static void write_csv_head(struct pikos *pikos)
{
	for (size_t i = 0; i < pikos->rows.nr_columns; i++) {
		if (i)
			row_add_delimiter(&pikos->line);
		row_add_csv(&pikos->line, value_text(pikos->rows.columns[i]->title));
	}
	row_end_csv(&pikos->line, pikos->out);
}

static void write_text_head(struct pikos *pikos)
{
	size_t width = 0;

	for (size_t i = 0; i < pikos->rows.nr_columns; i++) {
		print_cell(pikos, i, pikos->rows.columns[i]->title);
		width += (size_t)width_of(pikos->rows.columns[i]) + (i ? strlen(" | ") : 0);
	}
	putc('\n', pikos->out);
	for (; width; width--)
		putc(width > 1 ? '-' : '\n', pikos->out);
}

enum pikos_kind pikos_kind(const char *format)
{
	return strcmp(format, "pikos-text") == 0    ? PIKOS_TEXT
	       : strcmp(format, "pikos-count") == 0 ? PIKOS_COUNT
	       : strcmp(format, "pikos") == 0	    ? PIKOS_CSV
						    : PIKOS_NONE;
}

int pikos_open(struct pikos *pikos, const struct report *report)
{
	*pikos = (struct pikos){ .report = report, .kind = pikos_kind(report->options->format) };
	if (!export_open(&pikos->file, report->options))
		return EXIT_FAILURE;
	pikos->out = pikos->file.out;
	pikos->events = call_events_new();
	pikos->steps.report = report;
	pikos->table = table_of(report->options);
	pikos->table.source = is_of_lines(report->options) ? (void *)&pikos->steps : pikos->events;
	rows_open(&pikos->rows, &pikos->table, report->options, false);
	if (pikos->kind == PIKOS_TEXT)
		write_text_head(pikos);
	else if (pikos->kind == PIKOS_CSV)
		write_csv_head(pikos);
	return 0;
}

static void write_row(struct pikos *pikos, const void *row)
{
	pikos->nr_rows++;
	if (pikos->kind != PIKOS_COUNT)
		(pikos->kind == PIKOS_TEXT ? write_text : write_csv)(pikos, row);
}

void pikos_write(struct pikos *pikos, struct model *model, bool is_last)
{
	const bool has_window = window_is_given(&pikos->report->options->window);
	const struct call_event *event;

	call_events_begin(pikos->events, model, is_last);
	while ((event = rows_next(&pikos->rows)) != NULL) {
		if (has_window && (event->time < model->from || event->time > model->to))
			continue;
		write_row(pikos, event);
	}
	call_events_end(pikos->events);
}

/* Warn about what the rows do not show. */
static void tell_losses(const struct pikos *pikos)
{
	uint64_t nr_lost = call_events_nr_lost(pikos->events), nr_late = call_events_nr_late(pikos->events);

	if (nr_lost)
		warning("%" PRIu64 " call%s no row for %s end: the log had no room for it", nr_lost,
			nr_lost == 1 ? " has" : "s have", nr_lost == 1 ? "its" : "their");
	if (nr_late)
		warning("%" PRIu64 " row%s later than rows of other threads that follow it in time", nr_late,
			nr_late == 1 ? " comes" : "s come");
}

int pikos_close(struct pikos *pikos)
{
	if (pikos->kind == PIKOS_COUNT)
		fprintf(pikos->out, "%" PRIu64 " records\n", pikos->nr_rows);
	tell_losses(pikos);
	rows_close(&pikos->rows);
	row_text_release(&pikos->line);
	call_events_free(pikos->events);
	return export_close(&pikos->file);
}

int export_pikos(struct report *report)
{
	struct pikos pikos;
	const void *step;
	int status = pikos_check(report);

	if (status == 0)
		status = pikos_open(&pikos, report);
	if (status)
		return status;
	if (is_of_lines(report->options)) {
		while ((step = rows_next(&pikos.rows)))
			write_row(&pikos, step);
		return pikos_close(&pikos);
	}
	pikos_write(&pikos, report->model, true);
	events_tell_share(report->model, true);
	return pikos_close(&pikos);
}
