/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the clocks of a run's hosts are apart, by the program's own messages. */
#include "analyzer/views/views.h"

#include "analyzer/calls/mpi_waits.h"
#include "analyzer/cells/cells.h"

enum { RANKS, BEGIN, BEGIN_LEAST, BEGIN_MOST, END, END_LEAST, END_MOST };

static struct value get(const struct column *column, const void *row)
{
	const struct host_clock *of = row;
	const double times[] = {
		[BEGIN] = of->begin_ns, [BEGIN_LEAST] = of->begin_least_ns, [BEGIN_MOST] = of->begin_most_ns,
		[END] = of->end_ns,	[END_LEAST] = of->end_least_ns,	    [END_MOST] = of->end_most_ns,
	};

	if (column->index == RANKS)
		return value_integer(UNIT_COUNT, (int64_t)of->nr_ranks);
	return of->is_known ? value_integer(UNIT_NS, llround(times[column->index])) : value_empty();
}

static struct value get_text(const struct column *column, const void *row)
{
	const struct host_clock *of = row;

	if (column->index == 0)
		return value_text(of->process->header.host);
	return value_text(!of->is_known ? "too few messages" : of->is_line ? "a line" : "not a line");
}

static const struct column columns[] = {
	{ "host", "Host", COLUMN_LEFT, get_text, 0 },
	{ "ranks", "Ranks", COLUMN_SUMS, get, RANKS },
	{ "begin_offset_ns", "At begin", 0, get, BEGIN },
	{ "begin_least_ns", "at least", COLUMN_SPARE, get, BEGIN_LEAST },
	{ "begin_most_ns", "at most", COLUMN_SPARE, get, BEGIN_MOST },
	{ "end_offset_ns", "At end", 0, get, END },
	{ "end_least_ns", "at least", COLUMN_SPARE, get, END_LEAST },
	{ "end_most_ns", "at most", COLUMN_SPARE, get, END_MOST },
	{ "drift", "Drift", COLUMN_LEFT, get_text, 1 },
};

int view_clocks(struct document *document, struct report *report)
{
	struct mpi_waits waits = { 0 };

	mpi_waits_read(report->model, &waits);
	document_keep(document, waits.waits);
	document_keep(document, waits.recorded);
	document_keep(document, waits.clocks);
	document_add_table(document, &(struct table){
		.name = "clocks",
		.what = "hosts",
		.title = report->title,
		.note = "offset from the first host's clock; no line between all messages is outside of "
			"least and most",
		TABLE_COLUMNS(columns),
		.none = "no rank has records of MPI calls",
		.rows = TABLE_ROWS(waits.clocks, waits.nr_clocks),
	});
	return 0;
}
