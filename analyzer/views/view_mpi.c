/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MPI: calls by function and caller, over all ranks; and messages by sender and receiver. Times are those
 * that the clock saw at entry and exit.
 */
#include "analyzer/views/views.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/cells/cells.h"
#include "analyzer/read/nodes_read.h"

/* One MPI function, called from one function. */
struct call_row {
	struct function *function;
	struct function *caller; /* NULL: none is known */
	uint64_t nr_calls, nr_messages, nr_sized, bytes;
	double total_ns, max_ns;
	/* By rank: each is a process that has MPI calls. */
	double least_ns, most_ns, rank_ns;
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

/* A rank that never made such a call spent no time in it. */
static void count_absent_ranks(struct call_rows *rows, uint64_t nr_ranks)
{
	for (size_t i = 0; i < rows->nr_rows; i++) {
		if (rows->rows[i].nr_ranks < nr_ranks)
			rows->rows[i].least_ns = 0;
		rows->rows[i].nr_ranks = nr_ranks;
	}
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
	count_absent_ranks(rows, nr_ranks);
}

enum {
	CALLS,
	MESSAGES,
	BYTES,
	UNKNOWN,
	TOTAL,
	MEAN,
	MAX,
	RANK_LEAST,
	RANK_MEAN,
	RANK_MOST,
	MOST_RANK,
	IMBALANCE
};

static struct value rank_of(const struct process *process)
{
	if (!process)
		return value_empty();
	return value_integer(UNIT_NONE,
			     process->header.rank >= 0 ? process->header.rank : (int64_t)process->header.pid);
}

static struct value get_call(const struct column *column, const void *row)
{
	const struct call_row *of = row;
	const double mean_ns = of->total_ns / (double)of->nr_ranks;

	switch (column->index) {
	case CALLS:
		return value_integer(UNIT_COUNT, (int64_t)of->nr_calls);
	case MESSAGES:
		return of->nr_messages ? value_integer(UNIT_COUNT, (int64_t)of->nr_messages) : value_empty();
	case BYTES:
		return of->nr_sized ? value_integer(UNIT_BYTES, (int64_t)of->bytes) : value_empty();
	case UNKNOWN:
		return of->nr_messages ? value_integer(UNIT_COUNT, (int64_t)(of->nr_messages - of->nr_sized))
				       : value_empty();
	case TOTAL:
		return ns_cell(of->total_ns);
	case MEAN:
		return of->nr_calls ? value_real(UNIT_NS, of->total_ns / (double)of->nr_calls)
				    : value_empty();
	case MAX:
		return ns_cell(of->max_ns);
	case RANK_LEAST:
		return ns_cell(of->least_ns);
	case RANK_MEAN:
		return ns_cell(mean_ns);
	case RANK_MOST:
		return ns_cell(of->most_ns);
	case MOST_RANK:
		return rank_of(of->most);
	default:
		return of->most_ns > 0 ? value_real(UNIT_PERCENT, 100 * (of->most_ns - mean_ns) / of->most_ns)
				       : value_empty();
	}
}

static struct value get_function(const struct column *column, const void *row)
{
	return function_cell(((const struct call_row *)row)->function, column->index);
}

static struct value get_caller(const struct column *column, const void *row)
{
	const struct call_row *of = row;

	return of->caller ? function_cell(of->caller, column->index) : value_empty();
}

static const struct column call_columns[] = {
	{ "total_ns", "Total", COLUMN_SUMS, get_call, TOTAL },
	{ "calls", "Calls", COLUMN_SUMS, get_call, CALLS },
	{ "mean_ns", "Mean", 0, get_call, MEAN },
	{ "max_ns", "Max", COLUMN_SPARE, get_call, MAX },
	{ "messages", "Messages", COLUMN_SUMS | COLUMN_SPARE, get_call, MESSAGES },
	{ "bytes", "Bytes", COLUMN_SUMS, get_call, BYTES },
	{ "unknown_sizes", "No size", COLUMN_SUMS | COLUMN_SPARE, get_call, UNKNOWN },
	{ "rank_least_ns", "Least", COLUMN_SPARE, get_call, RANK_LEAST },
	{ "rank_mean_ns", "A rank", COLUMN_SPARE, get_call, RANK_MEAN },
	{ "rank_most_ns", "Most", 0, get_call, RANK_MOST },
	{ "most_rank", "In rank", 0, get_call, MOST_RANK },
	{ "imbalance_percent", "Imbal.", 0, get_call, IMBALANCE },
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT | COLUMN_ROOM, get_function, CELL_NAME },
	{ "caller", "Called by", COLUMN_LEFT | COLUMN_SPARE, get_caller, CELL_NAME },
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

static int add_table(struct document *document, const struct report *report, struct table *table)
{
	return view_add_table(document, report, table,
			      any_has_calls(report->model) ? "no messages were sent" : none_text);
}

int view_mpi(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));
	struct table_rows *source = document_new(document, sizeof(*source));
	struct call_rows rows = { 0 };

	list_calls(&rows, report->model);
	*source = (struct table_rows){ document_keep(document, rows.rows), rows.nr_rows };
	*table = (struct table){
		.name = "mpi",
		.what = "MPI functions",
		.columns = call_columns,
		.nr_columns = sizeof(call_columns) / sizeof(*call_columns),
		.text_columns =
			"total_ns,calls,mean_ns,bytes,rank_least_ns,rank_mean_ns,rank_most_ns,most_rank,"
			"imbalance_percent,function,caller",
		.data_columns =
			"function,caller,calls,messages,bytes,unknown_sizes,total_ns,mean_ns,max_ns,"
			"rank_least_ns,"
			"rank_mean_ns,rank_most_ns,most_rank,imbalance_percent",
		.text_sort = "total_ns",
		.data_sort = "total_ns",
		.note = "Total: over all ranks; Least, A rank, Most: sums of one rank; Imbal.: (most - mean) "
			"/ most; Bytes: "
			"of this rank's buffer; of a receive, where its status was asked for",
		.row_bytes = sizeof(struct call_row),
		.source = source,
	};
	return add_table(document, report, table);
}

/* ---- messages by sender and receiver ---- */

struct message_row {
	const struct process *process;
	struct function *function;
	const struct log_messages *messages;
	uint64_t nr_messages, nr_sized, bytes;
	double total_ns;
};

enum { SENDER, RECEIVER, COUNT, SIZE, MEAN_SIZE, TIME };

static struct value get_message(const struct column *column, const void *row)
{
	const struct message_row *of = row;
	const struct log_messages *messages = of->messages;
	const bool is_received = messages->direction == LOG_MESSAGE_RECEIVED;
	const struct value peer =
		messages->peer >= 0 ? value_integer(UNIT_NONE, messages->peer) : value_empty();

	switch (column->index) {
	case SENDER:
		return is_received ? peer : rank_of(of->process);
	case RECEIVER:
		return is_received ? rank_of(of->process) : peer;
	case COUNT:
		return value_integer(UNIT_COUNT, (int64_t)of->nr_messages);
	case SIZE:
		return of->nr_sized ? value_integer(UNIT_BYTES, (int64_t)of->bytes) : value_empty();
	case MEAN_SIZE:
		return of->nr_sized ? value_real(UNIT_BYTES, (double)of->bytes / (double)of->nr_sized)
				    : value_empty();
	default:
		return ns_cell(of->total_ns);
	}
}

static struct value get_message_function(const struct column *column, const void *row)
{
	return function_cell(((const struct message_row *)row)->function, column->index);
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
	{ "sender", "From", 0, get_message, SENDER },
	{ "receiver", "To", 0, get_message, RECEIVER },
	{ "messages", "Messages", COLUMN_SUMS, get_message, COUNT },
	{ "bytes", "Bytes", COLUMN_SUMS, get_message, SIZE },
	{ "mean_bytes", "Mean", COLUMN_SPARE, get_message, MEAN_SIZE },
	{ "total_ns", "Time", COLUMN_SUMS | COLUMN_SPARE, get_message, TIME },
	{ "direction", "Kind", COLUMN_LEFT, get_message_text, DIRECTION },
	{ "function", "Function", COLUMN_NAME | COLUMN_LEFT, get_message_function, CELL_NAME },
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

/* Paths and threads are added up. */
static void add_message(struct message_row *rows, size_t *nr_rows, const struct process *process,
			const struct log_messages *messages)
{
	struct tree_node *path = path_of(process, messages);
	struct message_row *row = rows;

	if (!path || !path->function)
		return;
	while (row < rows + *nr_rows && !is_same(row, process, path->function, messages))
		row++;
	if (row == rows + *nr_rows)
		rows[(*nr_rows)++] = (struct message_row){ .process = process,
							   .function = path->function,
							   .messages = messages };
	row->nr_messages += messages->nr_messages;
	row->nr_sized += messages->nr_sized;
	row->bytes += messages->bytes;
	row->total_ns += (double)messages->call_ticks * process->tick_ns;
}

static struct table_rows *list_messages(struct document *document, const struct model *model)
{
	struct table_rows *rows = document_new(document, sizeof(*rows));
	struct message_row *list;
	size_t nr = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr += model->processes[i]->nr_messages;
	rows->rows = list = document_new(document, (nr + 1) * sizeof(*list));
	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		size_t nr_own = 0;

		for (size_t j = 0; j < process->nr_messages; j++)
			if (is_shown(model, &process->messages[j]))
				add_message(list + rows->nr_rows, &nr_own, process, &process->messages[j]);
		rows->nr_rows += nr_own;
	}
	return rows;
}

int view_messages(struct document *document, struct report *report)
{
	struct table *table = document_new(document, sizeof(*table));

	*table = (struct table){
		.name = "messages",
		.what = "message routes",
		.columns = message_columns,
		.nr_columns = sizeof(message_columns) / sizeof(*message_columns),
		.data_columns =
			"sender,receiver,direction,function,communicator,messages,bytes,mean_bytes,total_ns",
		.text_sort = "bytes",
		.data_sort = "bytes",
		.note = "each message once, as its sender counted it; collective: To is empty, Bytes are those "
			"of the rank's own "
			"buffer",
		.row_bytes = sizeof(struct message_row),
		.source = list_messages(document, report->model),
	};
	return add_table(document, report, table);
}
