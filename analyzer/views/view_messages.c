/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MPI: messages by sender and receiver. */
#include "analyzer/views/views.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/cells/cells.h"
#include "analyzer/read/transfers_read.h"
#include "analyzer/views/view_mpi.h"

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

	const bool comes = messages->direction == LOG_MESSAGE_RECEIVED ||
			   messages->direction == LOG_MESSAGE_GOT;

	if ((column->index == SENDER) == comes)
		return messages->peer >= 0 ? value_integer(UNIT_NONE, messages->peer) : value_empty();
	return mpi_rank_cell(of->process);
}

enum { DIRECTION, COMMUNICATOR };

static struct value get_message_text(const struct column *column, const void *row)
{
	static const char *const directions[] = { "none", "sent", "received", "collective", "moved",
						   "probed", "put", "got", "file" };
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

/* Ranks that have MPI calls, in order. */
struct ranks {
	int32_t *list;
	size_t nr;
};

static int by_rank(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static struct ranks ranks_here(const struct model *model)
{
	struct ranks ranks = { xcalloc(model->nr_processes + 1, sizeof(*ranks.list)), 0 };

	for (size_t i = 0; i < model->nr_processes; i++)
		if (mpi_has_calls(model->processes[i]))
			ranks.list[ranks.nr++] = model->processes[i]->header.rank;
	qsort(ranks.list, ranks.nr, sizeof(*ranks.list), by_rank);
	return ranks;
}

/* A rank of the run received a message that another rank sent: the sender's row is shown. */
static bool is_shown(const struct ranks *ranks, const struct log_messages *messages)
{
	if (!messages->nr_messages || messages->direction == LOG_MESSAGE_MOVED ||
	    messages->direction == LOG_MESSAGE_FILE)
		return false;
	return messages->direction != LOG_MESSAGE_RECEIVED ||
	       (messages->peer >= 0 &&
		!bsearch(&messages->peer, ranks->list, ranks->nr, sizeof(*ranks->list), by_rank));
}

/* The rows of one process. */
static bool is_same(const void *item, const void *key)
{
	const struct message_row *a = item, *b = key;

	return a->function == b->function && a->messages->peer == b->messages->peer &&
	       a->messages->label == b->messages->label &&
	       a->messages->direction == b->messages->direction;
}

static uint64_t hash_of(const struct message_row *row)
{
	const struct log_messages *of = row->messages;

	return hash_pair((uint64_t)(uintptr_t)row->function + of->direction,
			 (uint64_t)of->label << 32 | (uint32_t)of->peer);
}

/* Rows of one process, in the order in which they were found. */
struct process_rows {
	struct hashtable table;
	struct message_row **list;
	size_t nr;
};

/* Paths and threads are added up. */
static void add_message(struct process_rows *rows, const struct process *process,
			const struct log_messages *messages)
{
	struct tree_node *path = messages_path(process, messages);
	struct message_row key = { .process = process, .messages = messages }, *row;

	if (!path || !path->function)
		return;
	key.function = path->function;
	row = hashtable_find(&rows->table, hash_of(&key), is_same, &key);
	if (!row) {
		row = APPEND(rows->list, rows->nr) = xcalloc(1, sizeof(*row));
		*row = key;
		hashtable_add(&rows->table, hash_of(&key), row);
	}
	row->nr_messages += messages->nr_messages;
	row->nr_sized += messages->nr_sized;
	row->bytes += messages->bytes;
	row->total_ns += (double)messages->call_ticks * process->tick_ns;
}

static void finish_process(struct document *document, struct table_rows *rows, struct process_rows *of)
{
	for (size_t i = 0; i < of->nr; i++) {
		struct message_row *row = of->list[i];

		row->mean_bytes = (double)row->bytes / (double)row->nr_sized;
		row->bytes = row->nr_sized ? row->bytes : UINT64_MAX;
		document_add_row(document, rows, row);
	}
	hashtable_release(&of->table);
	free(of->list);
}

static struct table_rows list_messages(struct document *document, const struct model *model)
{
	struct table_rows rows = ROWS_OF(struct message_row);
	const struct ranks ranks = ranks_here(model);

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];
		struct process_rows of = { .nr = 0 };

		for (size_t j = 0; j < process->nr_messages; j++)
			if (is_shown(&ranks, &process->messages[j]))
				add_message(&of, process, &process->messages[j]);
		finish_process(document, &rows, &of);
	}
	free(ranks.list);
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
		.text_top = MPI_TEXT_ROWS,
		.note = "each message once, as its sender counted it; collective: To is empty, Bytes are "
			"those of the "
			"rank's own buffer",
		.none = mpi_none_text(report->model),
		.rows = list_messages(document, report->model),
	});
	return 0;
}
