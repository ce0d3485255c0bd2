/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MPI: calls by function and caller, over all ranks; and messages by sender and receiver. Times are those
 * that the clock saw at entry and exit.
 */
#include "analyzer/views/views.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/mpi_waits.h"
#include "analyzer/cells/cells.h"
#include "analyzer/read/nodes_read.h"

#define TEXT_ROWS 40

/* One MPI function, called from one function. */
struct call_row {
	struct function *function;
	struct function *caller; /* NULL: none is known */
	uint64_t nr_calls, nr_messages, nr_sized, bytes, nr_unsized;
	double total_ns, max_ns, mean_ns, waiting_ns; /* waiting: as view late has it */
	/* By rank: each is a process that has MPI calls. */
	double least_ns, most_ns, rank_ns, rank_mean_ns, imbalance_percent;
	const struct process *most, *current;
	uint64_t nr_ranks;
};

struct call_rows {
	struct call_row *rows;
	size_t nr_rows;
};

static struct call_row *row_of(struct call_rows *rows, struct function *function, struct function *caller)
{
	for (size_t i = 0; i < rows->nr_rows; i++)
		if (rows->rows[i].function == function && rows->rows[i].caller == caller)
			return &rows->rows[i];
	rows->rows = xgrow(rows->rows, rows->nr_rows, sizeof(*rows->rows));
	rows->rows[rows->nr_rows] = (struct call_row){ .function = function, .caller = caller };
	return &rows->rows[rows->nr_rows++];
}

/* The rank's sum is complete. */
static void close_rank(struct call_row *row)
{
	if (!row->current)
		return;
	if (!row->nr_ranks || row->rank_ns < row->least_ns)
		row->least_ns = row->rank_ns;
	if (!row->most || row->rank_ns > row->most_ns) {
		row->most_ns = row->rank_ns;
		row->most = row->current;
	}
	row->nr_ranks++;
	row->current = NULL;
	row->rank_ns = 0;
}

static struct tree_node *path_of(const struct process *process, const struct log_messages *messages)
{
	struct thread *thread = nodes_thread(process, messages->thread);

	return thread && !thread->left_out ? nodes_path(thread, messages->node) : NULL;
}

static void add_calls(struct call_rows *rows, const struct process *process,
		      const struct log_messages *messages)
{
	struct tree_node *path = messages->direction == LOG_MESSAGE_MOVED ? NULL : path_of(process, messages);
	struct call_row *row;

	if (!path || !path->function)
		return;
	row = row_of(rows, path->function, path->parent ? path->parent->function : NULL);
	row->nr_calls += messages->nr_calls;
	row->nr_messages += messages->nr_messages;
	row->nr_sized += messages->nr_sized;
	row->bytes += messages->bytes;
	row->total_ns += (double)messages->call_ticks * process->tick_ns;
	row->rank_ns += (double)messages->call_ticks * process->tick_ns;
	row->max_ns = fmax(row->max_ns, (double)messages->most_ticks * process->tick_ns);
	row->current = process;
}

/* A rank that never made such a call spent no time in it. Sizes of no message are not known. */
static void finish_row(struct call_row *row, uint64_t nr_ranks)
{
	if (row->nr_ranks < nr_ranks)
		row->least_ns = 0;
	row->mean_ns = row->total_ns / (double)row->nr_calls;
	row->rank_mean_ns = row->total_ns / (double)nr_ranks;
	row->imbalance_percent = 100 * (row->most_ns - row->rank_mean_ns) / row->most_ns;
	row->nr_unsized = row->nr_messages ? row->nr_messages - row->nr_sized : UINT64_MAX;
	row->bytes = row->nr_sized ? row->bytes : UINT64_MAX;
}

static bool has_calls(const struct process *process)
{
	for (size_t i = 0; i < process->nr_messages; i++)
		if (process->messages[i].direction != LOG_MESSAGE_MOVED)
			return true;
	return false;
}

static void list_calls(struct call_rows *rows, const struct model *model)
{
	uint64_t nr_ranks = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_messages; j++)
			add_calls(rows, process, &process->messages[j]);
		for (size_t j = 0; j < rows->nr_rows; j++)
			close_rank(&rows->rows[j]);
		nr_ranks += has_calls(process);
	}
	for (size_t i = 0; i < rows->nr_rows; i++)
		finish_row(&rows->rows[i], nr_ranks);
}

static void add_waiting(struct call_rows *rows, struct model *model)
{
	struct mpi_waits waits;

	mpi_waits_read(model, &waits);
	for (size_t i = 0; i < waits.nr; i++)
		row_of(rows, waits.waits[i].function, waits.waits[i].caller)->waiting_ns +=
			waits.waits[i].waiting_ns;
	for (size_t i = 0; i < rows->nr_rows; i++)
		if (waits.until != INT64_MAX || !waits.nr_matched ||
		    (rows->rows[i].waiting_ns <= 0 && !rows->rows[i].nr_messages))
			rows->rows[i].waiting_ns = NAN; /* not known, as of MPI_Init */
	mpi_waits_release(&waits);
}

static struct value rank_of(const struct process *process)
{
	if (!process)
		return value_empty();
	return value_integer(UNIT_NONE,
			     process->header.rank >= 0 ? process->header.rank : (int64_t)process->header.pid);
}

static struct value get_most_rank(const struct column *column, const void *row)
{
	return rank_of(((const struct call_row *)row)->most);
}

#define CALL(member, unit) MEMBER(struct call_row, member, unit)
#define CALL_NS(member) MEMBER_NS(struct call_row, member)
static const struct column call_columns[] = {
	{ "total_ns", "Total", COLUMN_SUMS, CALL_NS(total_ns) },
	{ "calls", "Calls", COLUMN_SUMS, CALL(nr_calls, UNIT_COUNT) },
	{ "mean_ns", "Mean", 0, CALL(mean_ns, UNIT_NS) },
	{ "max_ns", "Max", COLUMN_SPARE, CALL_NS(max_ns) },
	{ "waiting_ns", "Waiting", COLUMN_SUMS, CALL(waiting_ns, UNIT_NS) },
	{ "messages", "Messages", COLUMN_SUMS | COLUMN_SPARE, CALL(nr_messages, UNIT_COUNT | NOT_0) },
	{ "bytes", "Bytes", COLUMN_SUMS, CALL(bytes, UNIT_BYTES) },
	{ "unknown_sizes", "No size", COLUMN_SUMS | COLUMN_SPARE, CALL(nr_unsized, UNIT_COUNT) },
	{ "rank_least_ns", "Least", COLUMN_SPARE, CALL_NS(least_ns) },
	{ "rank_mean_ns", "A rank", COLUMN_SPARE, CALL_NS(rank_mean_ns) },
	{ "rank_most_ns", "Most", 0, CALL_NS(most_ns) },
	{ "most_rank", "In rank", 0, get_most_rank, 0 },
	{ "imbalance_percent", "Imbal.", 0, CALL(imbalance_percent, UNIT_PERCENT) },
	{ "function", "Function", COLUMN_FUNCTION, MEMBER_FUNCTION(struct call_row, function, CELL_NAME) },
	{ "caller", "Called by", COLUMN_LEFT | COLUMN_SPARE, MEMBER_FUNCTION(struct call_row, caller,
	  CELL_NAME) },
};

static bool any_has_calls(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (has_calls(model->processes[i]))
			return true;
	return false;
}

static const char none_text[] =
	"no MPI calls were recorded: insideme-run records those of ranks and of programs that call MPI; "
	"with LD_PRELOAD alone add libinsideme-mpi.so behind libinsideme.so";

static const char *none_of(const struct model *model)
{
	return any_has_calls(model) ? "no messages were sent" : none_text;
}

int view_mpi(struct document *document, struct report *report)
{
	struct call_rows rows = { 0 };

	list_calls(&rows, report->model);
	add_waiting(&rows, report->model);
	document_add_table(document, &(struct table){
		.name = "mpi",
		.what = "MPI functions",
		.title = report->title,
		TABLE_COLUMNS(call_columns),
		.text_columns =
			"total_ns,waiting_ns,calls,mean_ns,bytes,rank_least_ns,rank_mean_ns,rank_most_ns,"
			"most_rank,imbalance_percent,function,caller",
		.data_columns =
			"function,caller,calls,messages,bytes,unknown_sizes,total_ns,waiting_ns,mean_ns,"
			"max_ns,rank_least_ns,rank_mean_ns,rank_most_ns,most_rank,imbalance_percent",
		.text_sort = "total_ns",
		.data_sort = "total_ns",
		.text_top = TEXT_ROWS,
		.note = "Total: over all ranks; Least, A rank, Most: sums of one rank; Imbal.: (most - "
			"mean) / most; "
			"Bytes: of this rank's buffer; of a receive, where its status was asked for; "
			"Waiting: see "
			"-v late",
		.none = none_of(report->model),
		.rows = TABLE_ROWS(rows.rows, rows.nr_rows),
	});
	document_keep(document, rows.rows);
	return 0;
}

/* ---- messages by sender and receiver ---- */

struct message_row {
	const struct process *process;
	struct function *function;
	const struct log_messages *messages;
	uint64_t nr_messages, nr_sized, bytes;	/* bytes: UINT64_MAX where no size is known */
	double total_ns, mean_bytes;
};

enum { SENDER, RECEIVER };

static struct value get_rank(const struct column *column, const void *row)
{
	const struct message_row *of = row;
	const struct log_messages *messages = of->messages;

	if ((column->index == SENDER) == (messages->direction == LOG_MESSAGE_RECEIVED))
		return messages->peer >= 0 ? value_integer(UNIT_NONE, messages->peer) : value_empty();
	return rank_of(of->process);
}

enum { DIRECTION, COMMUNICATOR };

static struct value get_message_text(const struct column *column, const void *row)
{
	static const char *const directions[] = { "none", "sent", "received", "collective", "moved",
						   "probed" };
	const struct message_row *of = row;
	const uint32_t label = of->messages->label;

	if (column->index == DIRECTION)
		return value_text(directions[of->messages->direction]);
	return label < of->process->nr_labels ? value_text(of->process->labels[label]) : value_empty();
}

static const struct column message_columns[] = {
	{ "sender", "From", 0, get_rank, SENDER },
	{ "receiver", "To", 0, get_rank, RECEIVER },
	{ "messages", "Messages", COLUMN_SUMS, MEMBER(struct message_row, nr_messages, UNIT_COUNT) },
	{ "bytes", "Bytes", COLUMN_SUMS, MEMBER(struct message_row, bytes, UNIT_BYTES) },
	{ "mean_bytes", "Mean", COLUMN_SPARE, MEMBER(struct message_row, mean_bytes, UNIT_BYTES) },
	{ "total_ns", "Time", COLUMN_SUMS | COLUMN_SPARE, MEMBER_NS(struct message_row, total_ns) },
	{ "direction", "Kind", COLUMN_LEFT, get_message_text, DIRECTION },
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT, MEMBER_FUNCTION(struct message_row, function,
	  CELL_NAME) },
	{ "communicator", "Communicator", COLUMN_LEFT | COLUMN_ROOM, get_message_text, COMMUNICATOR },
};

static bool is_rank_here(const struct model *model, int rank)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->header.rank == rank && has_calls(model->processes[i]))
			return true;
	return false;
}

/* What a rank of the run received is what another sent: that one is shown. */
static bool is_shown(const struct model *model, const struct log_messages *messages)
{
	if (!messages->nr_messages || messages->direction == LOG_MESSAGE_MOVED)
		return false;
	return messages->direction != LOG_MESSAGE_RECEIVED ||
	       (messages->peer >= 0 && !is_rank_here(model, messages->peer));
}

static bool is_same(const struct message_row *row, const struct process *process,
		    const struct function *function, const struct log_messages *messages)
{
	return row->process == process && row->function == function &&
	       row->messages->peer == messages->peer && row->messages->label == messages->label &&
	       row->messages->direction == messages->direction;
}

/* Paths and threads are added up. @first: the process's first row */
static void add_message(struct document *document, struct table_rows *rows, size_t first,
			const struct process *process, const struct log_messages *messages)
{
	struct tree_node *path = path_of(process, messages);
	struct message_row *row = (struct message_row *)rows->list + first,
			   *end = (struct message_row *)rows->list + rows->nr;

	if (!path || !path->function)
		return;
	while (row < end && !is_same(row, process, path->function, messages))
		row++;
	if (row == end)
		row = document_add_row(document, rows, &(struct message_row){
			.process = process, .function = path->function, .messages = messages });
	row->nr_messages += messages->nr_messages;
	row->nr_sized += messages->nr_sized;
	row->bytes += messages->bytes;
	row->total_ns += (double)messages->call_ticks * process->tick_ns;
}

static struct table_rows list_messages(struct document *document, const struct model *model)
{
	struct table_rows rows = ROWS_OF(struct message_row);

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		size_t first = rows.nr;

		for (size_t j = 0; j < process->nr_messages; j++)
			if (is_shown(model, &process->messages[j]))
				add_message(document, &rows, first, process, &process->messages[j]);
	}
	for (size_t i = 0; i < rows.nr; i++) {
		struct message_row *row = (struct message_row *)rows.list + i;

		row->mean_bytes = (double)row->bytes / (double)row->nr_sized;
		row->bytes = row->nr_sized ? row->bytes : UINT64_MAX;
	}
	return rows;
}

int view_messages(struct document *document, struct report *report)
{
	document_add_table(document, &(struct table){
		.name = "messages",
		.what = "message routes",
		.title = report->title,
		TABLE_COLUMNS(message_columns),
		.data_columns =
			"sender,receiver,direction,function,communicator,messages,bytes,mean_bytes,total_ns",
		.text_sort = "bytes",
		.data_sort = "bytes",
		.text_top = TEXT_ROWS,
		.note = "each message once, as its sender counted it; collective: To is empty, Bytes are "
			"those of the "
			"rank's own buffer",
		.none = none_of(report->model),
		.rows = list_messages(document, report->model),
	});
	return 0;
}
