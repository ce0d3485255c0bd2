/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who waited for whom in MPI calls: for a late sender or receiver, for the last rank of a collective. */
#include "analyzer/views/views.h"

#include <inttypes.h>

#include "analyzer/calls/mpi_waits.h"
#include "analyzer/cells/cells.h"

enum { WAITING, CALLS, MEAN, LONGEST, RANK, OTHER, KIND };

static struct value get(const struct column *column, const void *row)
{
	static const char *const kinds[MPI_WAIT_KINDS] = { "late sender", "late receiver", "late rank" };
	const struct mpi_wait *of = row;

	switch (column->index) {
	case WAITING:
		return ns_cell(of->waiting_ns);
	case CALLS:
		return value_integer(UNIT_COUNT, (int64_t)of->nr_calls);
	case MEAN:
		return ns_cell(of->waiting_ns / (double)of->nr_calls);
	case LONGEST:
		return ns_cell(of->longest_ns);
	case RANK:
		return who_cell(of->process, NULL, WHO_RANK);
	case OTHER:
		return who_cell(of->other, NULL, WHO_RANK);
	default:
		return value_text(kinds[of->kind]);
	}
}

static struct value get_function(const struct column *column, const void *row)
{
	return function_cell(((const struct mpi_wait *)row)->function, column->index);
}

static struct value get_caller(const struct column *column, const void *row)
{
	const struct mpi_wait *of = row;

	return of->caller ? function_cell(of->caller, column->index) : value_empty();
}

static const struct column columns[] = {
	{ "waiting_ns", "Waited", COLUMN_SUMS, get, WAITING },
	{ "calls", "Calls", COLUMN_SUMS, get, CALLS },
	{ "mean_ns", "Mean", COLUMN_SPARE, get, MEAN },
	{ "longest_ns", "Longest", COLUMN_SPARE, get, LONGEST },
	{ "rank", "Rank", 0, get, RANK },
	{ "late_rank", "For", 0, get, OTHER },
	{ "kind", "Kind", COLUMN_LEFT, get, KIND },
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_function, CELL_NAME },
	{ "caller", "Called by", COLUMN_LEFT | COLUMN_SPARE, get_caller, CELL_NAME },
};

struct late {
	struct mpi_waits waits;
	struct table_rows rows;
};

static const char *note(struct document *document, const struct mpi_waits *waits)
{
	const uint64_t all = waits->nr_matched + waits->nr_unmatched;

	return document_text(
		document,
		"of %" PRIu64 " receives and parts in collectives the other side is known of %" PRIu64
		"; late sender, receiver: its call began later; late rank: a collective's last one, "
		"or its root",
		all, waits->nr_matched);
}

int view_late(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));
	struct late *late = document_new(document, sizeof(*late));

	mpi_waits_read(report->model, &late->waits);
	document_keep(document, late->waits.waits);
	late->rows = (struct table_rows){ late->waits.waits, late->waits.nr };
	*table = (struct table){
		.name = "late",
		.what = "waits",
		.note = note(document, &late->waits),
		.columns = columns,
		.nr_columns = sizeof(columns) / sizeof(*columns),
		.data_columns = "rank,late_rank,kind,function,caller,calls,waiting_ns,mean_ns,longest_ns",
		.text_sort = "waiting_ns",
		.data_sort = "waiting_ns",
		.row_bytes = sizeof(struct mpi_wait),
		.source = &late->rows,
	};
	return view_add_table(document, report, table,
			      "no MPI call is known to have waited for another rank");
}
