/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which rank waited for which in MPI calls: for a late sender or receiver, or the last in a collective. And
 * how far the clocks of the hosts are apart: these waits depend on that.
 */
#include "analyzer/views/views.h"

#include <inttypes.h>

#include "analyzer/calls/mpi_waits.h"
#include "analyzer/cells/cells.h"

#define TEXT_ROWS 40

static struct value get_kind(const struct column *column, const void *row)
{
	static const char *const kinds[MPI_WAIT_KINDS] = { "late sender", "late receiver", "late rank" };

	return value_text(kinds[((const struct mpi_wait *)row)->kind]);
}

static struct value get_mean(const struct column *column, const void *row)
{
	const struct mpi_wait *of = row;

	return ns_cell(of->waiting_ns / (double)of->nr_calls);
}

static const struct column columns[] = {
	{ "waiting_ns", "Waited", COLUMN_SUMS, MEMBER_NS(struct mpi_wait, waiting_ns) },
	{ "calls", "Calls", COLUMN_SUMS, MEMBER(struct mpi_wait, nr_calls, UNIT_COUNT) },
	{ "mean_ns", "Mean", COLUMN_SPARE, get_mean, 0 },
	{ "longest_ns", "Longest", COLUMN_SPARE, MEMBER_NS(struct mpi_wait, longest_ns) },
	{ "rank", "Rank", 0, MEMBER_PROCESS(struct mpi_wait, process, WHO_RANK) },
	{ "late_rank", "For", 0, MEMBER_PROCESS(struct mpi_wait, other, WHO_RANK) },
	{ "kind", "Kind", COLUMN_LEFT, get_kind, 0 },
	{ "function", "Function", COLUMN_FUNCTION, MEMBER_FUNCTION(struct mpi_wait, function, CELL_NAME) },
	{ "caller", "Called by", COLUMN_FUNCTION, MEMBER_FUNCTION(struct mpi_wait, caller,
	  CELL_NAME) },
};

static const char *note(struct document *document, const struct mpi_waits *waits)
{
	const uint64_t all = waits->nr_matched + waits->nr_unmatched;
	const char *begin =
		!waits->is_cut ? ""
		: waits->until == INT64_MAX
			? "not of all calls, since there were too many: "
			: document_text(document, "of the run's first %s, since it has too many calls: ",
					document_number(document, UNIT_NS, waits->until));

	return document_text(
		document,
		"%sof %" PRIu64 " receives and parts in collectives the other side is known of %" PRIu64
		"; late sender, receiver: its call began later; late rank: a collective's last one, "
		"or its root",
		begin, all, waits->nr_matched);
}

static struct mpi_waits read_waits(struct document *document, const struct report *report)
{
	struct mpi_waits waits;

	mpi_waits_read(report->model, &waits);
	document_keep(document, waits.waits);
	document_keep(document, waits.recorded);
	document_keep(document, waits.clocks);
	return waits;
}

int view_late(struct document *document, struct report *report)
{
	struct mpi_waits waits = read_waits(document, report);

	document_add_table(document, &(struct table){
		.name = "late",
		.what = "waits",
		.title = report->title,
		.note = note(document, &waits),
		TABLE_COLUMNS(columns),
		.data_columns = "rank,late_rank,kind,function,caller,calls,waiting_ns,mean_ns,longest_ns",
		.text_sort = "waiting_ns",
		.data_sort = "waiting_ns",
		.text_top = TEXT_ROWS,
		.none = "no MPI call is known to have waited for another rank",
		.rows = TABLE_ROWS(waits.waits, waits.nr),
	});
	return 0;
}

enum { RANKS, BEGIN, BEGIN_LEAST, BEGIN_MOST, END, END_LEAST, END_MOST };

static struct value get_offset(const struct column *column, const void *row)
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

static struct value get_clock_text(const struct column *column, const void *row)
{
	const struct host_clock *of = row;

	if (column->index == 0)
		return value_text(of->process->header.host);
	return value_text(!of->is_known ? "too few messages" : of->is_line ? "a line" : "not a line");
}

static const struct column clock_columns[] = {
	{ "host", "Host", COLUMN_LEFT, get_clock_text, 0 },
	{ "ranks", "Ranks", COLUMN_SUMS, get_offset, RANKS },
	{ "begin_offset_ns", "At begin", 0, get_offset, BEGIN },
	{ "begin_least_ns", "at least", COLUMN_SPARE, get_offset, BEGIN_LEAST },
	{ "begin_most_ns", "at most", COLUMN_SPARE, get_offset, BEGIN_MOST },
	{ "end_offset_ns", "At end", 0, get_offset, END },
	{ "end_least_ns", "at least", COLUMN_SPARE, get_offset, END_LEAST },
	{ "end_most_ns", "at most", COLUMN_SPARE, get_offset, END_MOST },
	{ "drift", "Drift", COLUMN_LEFT, get_clock_text, 1 },
};

int view_clocks(struct document *document, struct report *report)
{
	struct mpi_waits waits = read_waits(document, report);

	document_add_table(document, &(struct table){
		.name = "clocks",
		.what = "hosts",
		.title = report->title,
		.note = "offset from the first host's clock; no line between all messages is outside of "
			"least and most",
		TABLE_COLUMNS(clock_columns),
		.none = "no rank has records of MPI calls",
		.rows = TABLE_ROWS(waits.clocks, waits.nr_clocks),
	});
	return 0;
}
