/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What library calls waited for: which lock and who held it, which file, for how long. */
#include "analyzer/views/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/cells/cells.h"
#include "analyzer/cells/path_text.h"
#include "analyzer/model/resolve.h"
#include "analyzer/read/waits_read.h"

#define TEXT_ROWS 20

struct wait_row {
	const struct wait_sum *sum;
	double all_ns;
	char *text;
};

struct wait_rows {
	struct wait_sums sums;
	struct wait_row *rows;
	struct table_rows given;
};

enum { WAIT_TOTAL, WAIT_SHARE, WAIT_CALLS, WAIT_MEAN, WAIT_MAX, WAIT_OPEN, WAIT_BYTES, WAIT_HOLDER_TID };

static struct value get_number(const struct column *column, const void *row)
{
	const struct wait_row *of = row;
	const struct wait_sum *sum = of->sum;

	switch (column->index) {
	case WAIT_TOTAL:
		return ns_cell(sum->total_ns);
	case WAIT_SHARE:
		return of->all_ns > 0 ? value_real(UNIT_PERCENT, 100 * sum->total_ns / of->all_ns)
				      : value_empty();
	case WAIT_CALLS:
		return value_integer(UNIT_COUNT, (int64_t)sum->calls);
	case WAIT_MEAN:
		return sum->calls ? ns_cell(sum->total_ns / (double)sum->calls) : value_empty();
	case WAIT_MAX:
		return ns_cell(sum->max_ns);
	case WAIT_OPEN:
		return value_integer(UNIT_COUNT, (int64_t)sum->open_calls);
	case WAIT_BYTES:
		return sum->bytes ? value_integer(UNIT_BYTES, (int64_t)sum->bytes) : value_empty();
	default:
		return sum->holder_thread ? value_integer(UNIT_NONE, sum->holder_thread->tid) : value_empty();
	}
}

enum {
	WAIT_FUNCTION,
	WAIT_KIND,
	WAIT_OBJECT,
	WAIT_CALLER,
	WAIT_SOURCE,
	WAIT_HOLDER,
	WAIT_HOLDER_NAME,
	WAIT_TEXT
};

/* The path that calls; without hooks the function that calls, if it has a name. */
static const char *caller_of(const struct wait_sum *sum)
{
	return sum->caller ? path_text(sum->caller) : sum->caller_name;
}

static struct value get_text(const struct column *column, const void *row)
{
	const struct wait_row *of = row;
	const struct wait_sum *sum = of->sum;

	switch (column->index) {
	case WAIT_FUNCTION:
		return value_text(sum->function->region);
	case WAIT_KIND:
		return value_text(waits_kind(sum->function->wait));
	case WAIT_OBJECT:
		return value_text(sum->object);
	case WAIT_CALLER:
		return value_text(caller_of(sum));
	case WAIT_SOURCE:
		return value_text(sum->place);
	case WAIT_HOLDER:
		return value_text(sum->holder && sum->holder->function ? path_text(sum->holder) : NULL);
	case WAIT_HOLDER_NAME:
		return value_text(sum->holder_thread ? sum->holder_thread->name : NULL);
	default:
		return value_text(of->text);
	}
}

static const struct column columns[] = {
	{ "total_ns", "Total", COLUMN_SUMS, get_number, WAIT_TOTAL },
	{ "total_percent", "", COLUMN_SUMS, get_number, WAIT_SHARE },
	{ "calls", "Calls", COLUMN_SUMS, get_number, WAIT_CALLS },
	{ "open_calls", "Open", COLUMN_SUMS | COLUMN_SPARE, get_number, WAIT_OPEN },
	{ "mean_ns", "Mean", 0, get_number, WAIT_MEAN },
	{ "max_ns", "Max", COLUMN_SPARE, get_number, WAIT_MAX },
	{ "bytes", "Bytes", COLUMN_SUMS | COLUMN_SPARE, get_number, WAIT_BYTES },
	{ "function", "Function", COLUMN_LEFT | COLUMN_NAME, get_text, WAIT_FUNCTION },
	{ "kind", "Kind", COLUMN_LEFT, get_text, WAIT_KIND },
	{ "object", "Object", COLUMN_LEFT, get_text, WAIT_OBJECT },
	{ "caller", "Caller", COLUMN_LEFT, get_text, WAIT_CALLER },
	{ "source", "Source", COLUMN_LEFT, get_text, WAIT_SOURCE },
	{ "holder", "Holder", COLUMN_LEFT, get_text, WAIT_HOLDER },
	{ "holder_thread", "Held by", 0, get_number, WAIT_HOLDER_TID },
	{ "holder_thread_name", "Held by", COLUMN_LEFT, get_text, WAIT_HOLDER_NAME },
	{ "wait", "Call, what it waited for, caller", COLUMN_LEFT | COLUMN_WRAPS, get_text, WAIT_TEXT },
};

/* "run > step" of main > run > step. */
static char *end_of_path(struct document *document, const struct tree_node *path)
{
	const struct tree_node *above = path->parent;

	if (above && above->function)
		return document_text(document, "%s > %s", above->function->short_name,
				     path->function->short_name);
	return document_text(document, "%s", path->function->short_name);
}

/* "pthread_mutex_lock table_lock, held by run > rebuild, in run > update (a.c:12)" */
static char *wait_text(struct document *document, const struct wait_sum *sum)
{
	const char *caller = sum->caller ? end_of_path(document, sum->caller) : sum->caller_name;
	char *text = document_text(document, "%s", sum->function->region);

	if (sum->object)
		text = document_text(document, "%s %s", text, sum->object);
	if (sum->holder && sum->holder->function)
		text = document_text(document, "%s, held by %s,", text, end_of_path(document, sum->holder));
	else if (sum->holder_thread)
		text = document_text(document, "%s, held by thread %s,", text, sum->holder_thread->name);
	if (caller)
		text = document_text(document, "%s in %s", text, caller);
	if (sum->place)
		text = document_text(document, "%s (%s)", text, sum->place);
	return text;
}

static char *note(struct document *document, const struct wait_sums *sums)
{
	char *named = document_text(document, "%s", "");

	if (!sums->nr)
		return document_text(document, "no library call waited, or --waits=off");
	if (isfinite(sums->blocked_ns))
		named = document_text(document, "%.0f %% of the time that threads were blocked has a name; ",
				      fmin(100, 100 * sums->total_ns / sums->blocked_ns));
	return document_text(document, "%sheld by: where the holder was when the wait began", named);
}

struct table *waits_table(struct document *document, const struct report *report)
{
	struct wait_rows *rows = document_new(document, sizeof(*rows));
	struct table *table = document_new(document, sizeof(*table));

	waits_read(report->model, &rows->sums);
	rows->rows = document_new(document, (rows->sums.nr + 1) * sizeof(*rows->rows));
	for (size_t i = 0; i < rows->sums.nr; i++)
		rows->rows[i] = (struct wait_row){ &rows->sums.sums[i], rows->sums.total_ns,
						   wait_text(document, &rows->sums.sums[i]) };
	rows->given = (struct table_rows){ rows->rows, rows->sums.nr };
	*table = (struct table){
		.name = "waits",
		.title = report->title,
		.note = note(document, &rows->sums),
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.text_columns = "total_ns,total_percent,calls,mean_ns,wait",
		.data_columns =
			"function,kind,object,caller,source,holder,holder_thread,holder_thread_name,calls,"
			"open_calls,total_ns,mean_ns,max_ns,bytes",
		.text_sort = "total_ns",
		.data_sort = "total_ns",
		.text_top = TEXT_ROWS,
		.formats = IN_TEXT | IN_CSV | IN_JSON,
		.row_bytes = sizeof(struct wait_row),
		.next = table_next_row,
		.source = &rows->given,
	};
	return table;
}

int view_waits(struct document *document, struct report *report)
{
	document_add_table(document, waits_table(document, report));
	return 0;
}
