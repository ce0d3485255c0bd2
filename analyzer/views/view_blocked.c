/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rank each open MPI call waits for: of a run that hangs, or of one that was killed. */
#include "analyzer/views/views.h"

#include "analyzer/calls/mpi_open.h"
#include "analyzer/cells/cells.h"

#define TEXT_ROWS 40

static struct value get_kind(const struct column *column, const void *row)
{
	static const char *const kinds[] = {
		[LOG_MESSAGE_SENT] = "send",
		[LOG_MESSAGE_RECEIVED] = "receive",
		[LOG_MESSAGE_COLLECTIVE] = "collective",
		[LOG_MESSAGE_PROBED] = "probe",
	};
	const uint32_t direction = ((const struct mpi_open *)row)->direction;

	(void)column;
	return value_text(direction < sizeof(kinds) / sizeof(*kinds) ? kinds[direction] : NULL);
}

#define OPEN(member, unit) MEMBER(struct mpi_open, member, unit)
static const struct column columns[] = {
	{ "open_ns", "Open for", 0, MEMBER_NS(struct mpi_open, so_far_ns) },
	{ "rank", "Rank", 0, MEMBER_PROCESS(struct mpi_open, process, WHO_RANK) },
	{ "for_rank", "Waits for", 0, OPEN(for_rank, UNIT_NONE) },
	{ "absent_ranks", "Absent", 0, OPEN(nr_absent, UNIT_COUNT | NOT_0) },
	{ "tag", "Tag", COLUMN_SPARE, OPEN(tag, UNIT_NONE) },
	{ "kind", "Kind", COLUMN_LEFT, get_kind, 0 },
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT,
	  MEMBER_FUNCTION(struct mpi_open, function, CELL_NAME) },
	{ "communicator", "Communicator", COLUMN_LEFT | COLUMN_ROOM, OPEN(communicator, 0) },
	{ "caller", "Called by", COLUMN_LEFT | COLUMN_SPARE,
	  MEMBER_FUNCTION(struct mpi_open, caller, CELL_NAME) },
};

int view_blocked(struct document *document, struct report *report)
{
	struct mpi_open *list;
	size_t nr = mpi_open_read(report->model, &list);

	document_keep(document, list);
	document_add_table(document, &(struct table){
		.name = "blocked",
		.what = "unfinished MPI calls",
		.title = report->title,
		.note = "open when the rank ended, or now; Absent: ranks of the communicator that are in "
			"none of its collectives, and Waits for is the lowest of them",
		TABLE_COLUMNS(columns),
		.data_columns = "rank,for_rank,absent_ranks,kind,function,communicator,tag,caller,open_ns",
		.text_sort = "open_ns",
		.data_sort = "open_ns",
		.text_top = TEXT_ROWS,
		.none = "no MPI call was open when its rank ended, or is open now",
		.rows = TABLE_ROWS(list, nr),
	});
	return 0;
}
