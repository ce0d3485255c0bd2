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
	struct wait_sum sum;
	double total_percent, mean_ns;	/* NAN: not known */
	const char *text;
};

static struct value get_holder_thread(const struct column *column, const void *row)
{
	const struct thread *thread = ((const struct wait_row *)row)->sum.holder_thread;

	if (!thread)
		return value_empty();
	return column->index == WHO_TID ? value_integer(UNIT_NONE, thread->tid) : value_text(thread->name);
}

enum { WAIT_FUNCTION, WAIT_KIND, WAIT_CALLER, WAIT_HOLDER };

/* The path that calls; without hooks the function that calls, if it has a name. */
static const char *caller_of(const struct wait_sum *sum)
{
	return sum->caller ? path_text(sum->caller) : sum->caller_name;
}

static struct value get_text(const struct column *column, const void *row)
{
	const struct wait_sum *sum = row;

	switch (column->index) {
	case WAIT_FUNCTION:
		return value_text(sum->function->region);
	case WAIT_KIND:
		return value_text(waits_kind(sum->function->wait));
	case WAIT_CALLER:
		return value_text(caller_of(sum));
	default:
		return value_text(sum->holder && sum->holder->function ? path_text(sum->holder) : NULL);
	}
}

#define WAIT(member, unit) MEMBER(struct wait_row, member, unit)

static const struct column columns[] = {
	{ "total_ns", "Total", COLUMN_SUMS, MEMBER_NS(struct wait_row, sum.total_ns) },
	{ "total_percent", "", COLUMN_SUMS, WAIT(total_percent, UNIT_PERCENT) },
	{ "calls", "Calls", COLUMN_SUMS, WAIT(sum.calls, UNIT_COUNT) },
	{ "open_calls", "Open", COLUMN_SUMS | COLUMN_SPARE, WAIT(sum.open_calls, UNIT_COUNT) },
	{ "mean_ns", "Mean", 0, MEMBER_NS(struct wait_row, mean_ns) },
	{ "max_ns", "Max", COLUMN_SPARE, MEMBER_NS(struct wait_row, sum.max_ns) },
	{ "bytes", "Bytes", COLUMN_SUMS | COLUMN_SPARE, WAIT(sum.bytes, UNIT_BYTES | NOT_0) },
	{ "function", "Function", COLUMN_LEFT | COLUMN_NAME, get_text, WAIT_FUNCTION },
	{ "kind", "Kind", COLUMN_LEFT, get_text, WAIT_KIND },
	{ "object", "Object", COLUMN_LEFT, WAIT(sum.object, 0) },
	{ "caller", "Caller", COLUMN_LEFT, get_text, WAIT_CALLER },
	{ "source", "Source", COLUMN_LEFT, WAIT(sum.place, 0) },
	{ "holder", "Holder", COLUMN_LEFT, get_text, WAIT_HOLDER },
	{ "holder_thread", "Held by", 0, get_holder_thread, WHO_TID },
	{ "holder_thread_name", "Held by", COLUMN_LEFT, get_holder_thread, WHO_THREAD_NAME },
	{ "wait", "Call, what it waited for, caller", COLUMN_LEFT | COLUMN_WRAPS, WAIT(text, 0) },
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

#define HOLDER_NOTE "held by: where the holder was when the wait began"

static bool has_holder(const struct wait_sums *sums)
{
	for (size_t i = 0; i < sums->nr; i++)
		if (sums->sums[i].holder_thread)
			return true;
	return false;
}

static char *note(struct document *document, const struct wait_sums *sums)
{
	char *named = document_text(document, "%s", "");

	if (!sums->nr)
		return document_text(document, "no library call waited, or --waits=off");
	if (sums->blocked_ns > 0)
		named = document_text(document, "%.0f %% of the time that threads were blocked has a name%s",
				      100 * sums->named_ns / sums->blocked_ns, has_holder(sums) ? "; " : "");
	return document_text(document, "%s%s", named, has_holder(sums) ? HOLDER_NOTE : "");
}

/* They live as long as the document. */
static struct wait_sums *read_sums(struct document *document, struct model *model)
{
	struct wait_sums *sums = document_new(document, sizeof(*sums));

	waits_read(model, sums);
	document_keep(document, sums->sums);
	document_keep(document, sums->texts);
	for (size_t i = 0; i < sums->nr_texts; i++)
		document_keep(document, sums->texts[i]);
	for (size_t i = 0; i < sums->nr; i++) {
		document_keep(document, sums->sums[i].caller_name);
		document_keep(document, sums->sums[i].place);
	}
	return sums;
}

struct table waits_table(struct document *document, const struct report *report)
{
	struct table_rows rows = ROWS_OF(struct wait_row);
	struct wait_sums *sums = read_sums(document, report->model);

	for (size_t i = 0; i < sums->nr; i++)
		document_add_row(document, &rows, &(struct wait_row){
			sums->sums[i], 100 * sums->sums[i].total_ns / sums->total_ns,
			sums->sums[i].total_ns / (double)sums->sums[i].calls, wait_text(document, &sums->sums[i]) });
	return (struct table){
		.name = "waits",
		.title = report->title,
		.note = note(document, sums),
		TABLE_COLUMNS(columns),
		.text_columns = "total_ns,total_percent,calls,mean_ns,wait",
		.data_columns =
			"function,kind,object,caller,source,holder,holder_thread,holder_thread_name,calls,"
			"open_calls,total_ns,mean_ns,max_ns,bytes",
		.text_sort = "total_ns",
		.data_sort = "total_ns",
		.text_top = TEXT_ROWS,
		.rows = rows,
	};
}

int view_waits(struct document *document, struct report *report)
{
	struct table table = waits_table(document, report);

	document_add_table(document, &table);
	return 0;
}
