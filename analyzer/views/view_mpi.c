/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MPI calls by function and caller, and by the place in the code that they came from, over all ranks.
 */
#include "analyzer/views/view_mpi.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/calls/mpi_waits.h"
#include "analyzer/calls/slice_coverage.h"
#include "analyzer/cells/cells.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/read/errors_read.h"
#include "analyzer/read/transfers_read.h"
#include "analyzer/views/views.h"

/* A place in the code that calls MPI functions. */
struct site {
	const struct object *object; /* NULL: none has that address */
	uint64_t addr;		     /* in the object */
	char *text;		     /* "jacobi.c:88" */
	char *caller;		     /* NULL: the function there has no name */
};

/* One MPI function, called from one function, or from one place. */
struct call_row {
	struct function *function;
	struct function *caller; /* NULL: none is known */
	const struct site *site; /* NULL: the row is of a function */
	uint64_t nr_calls, nr_messages, nr_sized, bytes, nr_unsized;
	double total_ns, max_ns, mean_ns;
	double waiting_ns; /* as view late has it */
	/* If that is not of all calls: the time above the rank's fastest call of that size, and all of it */
	double above_fastest_ns, waiting_most_ns;
	uint64_t nr_talking; /* calls that did something themselves, not by a request */
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

/* The fastest call of a function with messages of one size, of one rank. */
struct fastest {
	const struct function *function;
	uint64_t size_bytes;
	uint64_t ticks;
};

static bool is_as_large(const void *item, const void *key)
{
	const struct fastest *a = item, *b = key;

	return a->function == b->function && a->size_bytes == b->size_bytes;
}

/* One-sided calls wait for no call of the other rank. */
static bool can_wait(const struct log_messages *messages)
{
	return messages->direction != LOG_MESSAGE_NONE && messages->direction != LOG_MESSAGE_MOVED &&
	       messages->direction < LOG_MESSAGE_PUT;
}

/* NULL: its messages differ, or it only starts them. */
static struct fastest *fastest_of(struct hashtable *table, const struct process *process,
				  const struct log_messages *messages)
{
	const struct tree_node *path = messages_path(process, messages);
	struct fastest key = { .size_bytes = messages->size_bytes, .ticks = UINT64_MAX }, *found;
	uint64_t hash;

	if (!path || !path->function || !messages->size_bytes || messages->least_ticks == UINT64_MAX ||
	    !can_wait(messages))
		return NULL;
	key.function = path->function;
	hash = hash_pair((uint64_t)(uintptr_t)key.function, key.size_bytes);
	found = hashtable_find(table, hash, is_as_large, &key);
	if (!found) {
		found = xcalloc(1, sizeof(*found));
		*found = key;
		hashtable_add(table, hash, found);
	}
	return found;
}

/* A call waited for as long as it took beyond the fastest call of its size. */
static void add_bounds(struct call_rows *rows, const struct process *process)
{
	struct hashtable table = { 0 };

	for (size_t i = 0; i < process->nr_messages; i++) {
		struct fastest *of = fastest_of(&table, process, &process->messages[i]);

		if (of && process->messages[i].least_ticks < of->ticks)
			of->ticks = process->messages[i].least_ticks;
	}
	for (size_t i = 0; i < process->nr_messages; i++) {
		const struct log_messages *messages = &process->messages[i];
		const struct fastest *of = fastest_of(&table, process, messages);
		const struct tree_node *path = of ? messages_path(process, messages) : NULL;

		if (of)
			row_of(rows, path->function, path->parent ? path->parent->function : NULL)
				->above_fastest_ns += fmax(0, (double)messages->call_ticks -
					(double)messages->nr_calls * (double)of->ticks) * process->tick_ns;
	}
	hashtable_release(&table);
}

/* The path of MPI calls; NULL: they are none, or not known. */
static const struct tree_node *path_of_calls(const struct process *process,
					     const struct log_messages *messages)
{
	const struct tree_node *path =
		messages->direction == LOG_MESSAGE_MOVED ? NULL : messages_path(process, messages);

	return path && path->function ? path : NULL;
}

/* Times are as in the functions view: without the recorder's cost. */
static void add_calls(struct call_row *row, const struct process *process,
		      const struct log_messages *messages, const struct tree_node *path)
{
	const struct call_stats stats = path_stats(path);
	const double cost_ns = hook_costs_per_call(&stats);
	const double total_ns = fmax(0, (double)messages->call_ticks * process->tick_ns -
						(double)messages->nr_calls * cost_ns);

	row->nr_calls += messages->nr_calls;
	row->nr_talking += can_wait(messages) ? messages->nr_calls : 0;
	row->nr_messages += messages->nr_messages;
	row->nr_sized += messages->nr_sized;
	row->bytes += messages->bytes;
	row->total_ns += total_ns;
	row->rank_ns += total_ns;
	row->max_ns = fmax(row->max_ns, (double)messages->most_ticks * process->tick_ns - cost_ns);
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

/* ---- by calling place ---- */

struct sites {
	struct site **sites;
	size_t nr;
};

static const struct site *site_of(struct sites *sites, const struct process *process,
				  const struct log_messages *messages)
{
	const uint64_t addr = messages->caller_addr - 1, ticks = messages->record.ticks;
	const struct module *module = module_at(process, addr, ticks);
	const struct site wanted = { module ? module->object : NULL, addr - (module ? module->bias : 0),
				     NULL, NULL };
	struct site *site;

	for (size_t i = 0; i < sites->nr; i++)
		if (sites->sites[i]->object == wanted.object && sites->sites[i]->addr == wanted.addr)
			return sites->sites[i];
	site = xcalloc(1, sizeof(*site));
	*site = wanted;
	site->text = errors_code(process, ticks, addr);
	site->caller = errors_code_function(process, ticks, addr);
	APPEND(sites->sites, sites->nr) = site;
	return site;
}

/* Calls of one line may come from several places of its code. */
static struct call_row *site_row_of(struct call_rows *rows, struct function *function,
				    const struct site *site)
{
	for (size_t i = 0; i < rows->nr_rows; i++)
		if (rows->rows[i].function == function && strcmp(rows->rows[i].site->text, site->text) == 0)
			return &rows->rows[i];
	rows->rows = xgrow(rows->rows, rows->nr_rows, sizeof(*rows->rows));
	rows->rows[rows->nr_rows] = (struct call_row){ .function = function, .site = site };
	return &rows->rows[rows->nr_rows++];
}

bool mpi_has_calls(const struct process *process)
{
	for (size_t i = 0; i < process->nr_messages; i++)
		if (process->messages[i].direction != LOG_MESSAGE_MOVED)
			return true;
	return false;
}

static void close_ranks(struct call_rows *rows)
{
	for (size_t i = 0; i < rows->nr_rows; i++)
		close_rank(&rows->rows[i]);
}

static void finish_rows(struct call_rows *rows, uint64_t nr_ranks)
{
	for (size_t i = 0; i < rows->nr_rows; i++)
		finish_row(&rows->rows[i], nr_ranks);
}

/* @by_site: rows of places, of the records that have one; NULL: not wanted */
static void list_calls(struct call_rows *rows, struct call_rows *by_site, struct sites *sites,
		       const struct model *model)
{
	uint64_t nr_ranks = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_messages; j++) {
			const struct log_messages *messages = &process->messages[j];
			const struct tree_node *path = path_of_calls(process, messages);

			if (!path)
				continue;
			add_calls(row_of(rows, path->function, path->parent ? path->parent->function : NULL),
				  process, messages, path);
			if (by_site && messages->caller_addr)
				add_calls(site_row_of(by_site, path->function,
						      site_of(sites, process, messages)),
					  process, messages, path);
		}
		add_bounds(rows, process);
		close_ranks(rows);
		if (by_site)
			close_ranks(by_site);
		nr_ranks += mpi_has_calls(process);
	}
	finish_rows(rows, nr_ranks);
	if (by_site)
		finish_rows(by_site, nr_ranks);
}

/* The waiting time is known if the other side of each call is known. That of MPI_Init never is. */
static void finish_waiting(struct call_row *row, const struct mpi_waits *waits)
{
	uint64_t nr_recorded = 0, nr_unknown = 0;

	for (size_t i = 0; i < waits->nr_recorded; i++) {
		const struct mpi_recorded *of = &waits->recorded[i];

		if (of->function != row->function || of->caller != row->caller)
			continue;
		nr_recorded = of->nr_calls;
		nr_unknown = of->nr_unknown;
	}
	row->waiting_ns = fmin(row->waiting_ns, row->total_ns); /* its cost may have been waiting */
	if (!row->nr_talking && row->waiting_ns <= 0 && !nr_unknown) {
		row->waiting_ns = row->above_fastest_ns = row->waiting_most_ns = NAN;
	} else if (!waits->is_cut && !nr_unknown && nr_recorded >= row->nr_talking) {
		row->above_fastest_ns = row->waiting_most_ns = row->waiting_ns;
	} else {
		row->above_fastest_ns = fmax(row->waiting_ns, row->above_fastest_ns);
		row->waiting_most_ns = row->total_ns;
		row->waiting_ns = NAN;
	}
}

/* Return: is it known of each function? */
static bool add_waiting(struct call_rows *rows, struct model *model)
{
	struct mpi_waits waits;
	bool are_known = true;

	mpi_waits_read(model, &waits);
	for (size_t i = 0; i < waits.nr; i++)
		row_of(rows, waits.waits[i].function, waits.waits[i].caller)->waiting_ns +=
			waits.waits[i].waiting_ns;
	for (size_t i = 0; i < rows->nr_rows; i++) {
		finish_waiting(&rows->rows[i], &waits);
		are_known &= isnan(rows->rows[i].waiting_most_ns) || isfinite(rows->rows[i].waiting_ns);
	}
	mpi_waits_release(&waits);
	return are_known;
}

struct value mpi_rank_cell(const struct process *process)
{
	if (!process)
		return value_empty();
	return value_integer(UNIT_NONE,
			     process->header.rank >= 0 ? process->header.rank : (int64_t)process->header.pid);
}

static struct value get_most_rank(const struct column *column, const void *row)
{
	return mpi_rank_cell(((const struct call_row *)row)->most);
}

enum { SITE_SOURCE, SITE_CALLER };

static struct value get_site(const struct column *column, const void *row)
{
	const struct site *site = ((const struct call_row *)row)->site;
	const char *text = !site ? NULL : column->index == SITE_SOURCE ? site->text : site->caller;

	return text ? value_text(text) : value_empty();
}

#define CALL(member, unit) MEMBER(struct call_row, member, unit)
#define CALL_NS(member) MEMBER_NS(struct call_row, member)
static const struct column call_columns[] = {
	{ "total_ns", "Total", COLUMN_SUMS, CALL_NS(total_ns) },
	{ "calls", "Calls", COLUMN_SUMS, CALL(nr_calls, UNIT_COUNT) },
	{ "mean_ns", "Mean", COLUMN_SPARE, CALL(mean_ns, UNIT_NS) },
	{ "max_ns", "Max", COLUMN_SPARE, CALL_NS(max_ns) },
	{ "waiting_ns", "Waiting", COLUMN_SUMS, CALL(waiting_ns, UNIT_NS) },
	{ "above_fastest_ns", "Above fastest", COLUMN_SUMS, CALL(above_fastest_ns, UNIT_NS) },
	{ "waiting_most_ns", "At most", COLUMN_SUMS, CALL(waiting_most_ns, UNIT_NS) },
	{ "messages", "Messages", COLUMN_SUMS | COLUMN_SPARE, CALL(nr_messages, UNIT_COUNT | NOT_0) },
	{ "bytes", "Bytes", COLUMN_SUMS, CALL(bytes, UNIT_BYTES) },
	{ "unknown_sizes", "No size", COLUMN_SUMS | COLUMN_SPARE, CALL(nr_unsized, UNIT_COUNT) },
	{ "rank_least_ns", "Least", COLUMN_SPARE, CALL_NS(least_ns) },
	{ "rank_mean_ns", "A rank", COLUMN_SPARE, CALL_NS(rank_mean_ns) },
	{ "rank_most_ns", "Most", 0, CALL_NS(most_ns) },
	{ "most_rank", "In rank", 0, get_most_rank, 0 },
	{ "imbalance_percent", "Imbal.", 0, CALL(imbalance_percent, UNIT_PERCENT) },
	{ "function", "Function", COLUMN_FUNCTION, MEMBER_FUNCTION(struct call_row, function, CELL_NAME) },
	{ "caller", "Called by", COLUMN_FUNCTION, MEMBER_FUNCTION(struct call_row, caller,
	  CELL_NAME) },
	{ "source", "Source", COLUMN_LEFT | COLUMN_ROOM, get_site, SITE_SOURCE },
	{ "calling_function", "In", COLUMN_LEFT, get_site, SITE_CALLER },
};

bool mpi_is_called(const struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (mpi_has_calls(model->processes[i]))
			return true;
	return false;
}

static int longest_first(const void *a, const void *b)
{
	const double x = ((const struct call_row *)a)->total_ns, y = ((const struct call_row *)b)->total_ns;

	return (x < y) - (x > y);
}

static bool calls_mpi(const struct thread *thread)
{
	for (size_t i = 0; i < thread->process->nr_messages; i++)
		if (thread->process->messages[i].thread == thread->ref &&
		    thread->process->messages[i].direction != LOG_MESSAGE_MOVED)
			return true;
	return false;
}

/* How long the threads lasted that make MPI calls. A saved process has its life only. */
static double callers_ns(const struct process *process)
{
	double life_ns = 0;

	for (size_t i = 0; i < process->nr_threads; i++)
		life_ns += calls_mpi(process->threads[i]) ? thread_lived_ns(process->threads[i]) : 0;
	return life_ns > 0 || !mpi_has_calls(process) ? life_ns : (double)(process->last - process->start);
}

const char *mpi_lead(struct document *document, const struct model *model)
{
	struct call_rows rows = { 0 };
	const struct call_row *longest;
	double total_ns = 0, life_ns = 0;
	const char *text;

	list_calls(&rows, NULL, NULL, model);
	for (size_t i = 0; i < rows.nr_rows; i++)
		total_ns += rows.rows[i].total_ns;
	for (size_t i = 0; i < model->nr_processes; i++)
		life_ns += callers_ns(model->processes[i]);
	if (!rows.nr_rows || !(life_ns > 0)) {
		free(rows.rows);
		return NULL;
	}
	qsort(rows.rows, rows.nr_rows, sizeof(*rows.rows), longest_first);
	longest = &rows.rows[0];
	text = document_text(document, "%s in MPI calls, %s of the %s that the calling threads lasted; "
			     "most in %s%s%s: %s",
			     document_number(document, UNIT_NS, total_ns),
			     document_number(document, UNIT_PERCENT, 100 * total_ns / life_ns),
			     document_number(document, UNIT_NS, life_ns), longest->function->short_name,
			     longest->caller ? ", called by " : "",
			     longest->caller ? longest->caller->short_name : "",
			     document_number(document, UNIT_NS, longest->total_ns));
	free(rows.rows);
	return text;
}

static const char none_text[] =
	"no MPI calls were recorded: insideme-run records those of ranks and of programs that call MPI, but "
	"with --sample of a program without hooks only if --mpi=on is given; "
	"with LD_PRELOAD alone add libinsideme-mpi.so behind libinsideme.so";

const char *mpi_none_text(const struct model *model)
{
	return mpi_is_called(model) ? "no messages were sent" : none_text;
}

static const char *const notes[] = {
	"the other side of some calls is not known (-v late): they waited about as long as they lasted "
	"above the rank's fastest call of that size, at most all the time; ",
	"Waiting: see -v late; ",
};

/* A table of calling places. Programs without hooks have it too. */
static void add_sites(struct document *document, struct call_rows *rows, struct sites *sites)
{
	for (size_t i = 0; i < sites->nr; i++) {
		document_keep(document, sites->sites[i]->text);
		document_keep(document, sites->sites[i]->caller);
		document_keep(document, sites->sites[i]);
	}
	document_keep(document, rows->rows);
	free(sites->sites);
	if (!rows->nr_rows)
		return;
	qsort(rows->rows, rows->nr_rows, sizeof(*rows->rows), longest_first);
	document_add_table(document, &(struct table){
		.name = "sites",
		.what = "calling places",
		.title = "by calling place",
		TABLE_COLUMNS(call_columns),
		.text_columns = "total_ns,calls,mean_ns,max_ns,bytes,rank_most_ns,most_rank,"
				"imbalance_percent,function,source,calling_function",
		.data_columns = "function,source,calling_function,calls,messages,bytes,unknown_sizes,"
				"total_ns,mean_ns,max_ns,rank_least_ns,rank_mean_ns,rank_most_ns,most_rank,"
				"imbalance_percent",
		.text_sort = "total_ns",
		.data_sort = "total_ns",
		.text_top = MPI_TEXT_ROWS,
		.fixed = true,
		.aside = true,
		.formats = IN_TEXT | IN_JSON,
		.apart = true,
		.rows = TABLE_ROWS(rows->rows, rows->nr_rows),
	});
}

int view_mpi(struct document *document, struct report *report)
{
	struct call_rows rows = { 0 }, by_site = { 0 };
	struct sites sites = { 0 };
	bool are_known;

	list_calls(&rows, &by_site, &sites, report->model);
	are_known = add_waiting(&rows, report->model);
	document_add_table(document, &(struct table){
		.name = "mpi",
		.what = "MPI functions",
		.title = report->title,
		TABLE_COLUMNS(call_columns),
		.text_columns =
			are_known ? "total_ns,waiting_ns,calls,mean_ns,bytes,rank_least_ns,rank_mean_ns,"
				    "rank_most_ns,most_rank,imbalance_percent,function,caller"
				  : "total_ns,above_fastest_ns,waiting_most_ns,calls,mean_ns,bytes,"
				    "rank_most_ns,most_rank,imbalance_percent,function,caller",
		.data_columns =
			"function,caller,calls,messages,bytes,unknown_sizes,total_ns,waiting_ns,mean_ns,"
			"max_ns,rank_least_ns,rank_mean_ns,rank_most_ns,most_rank,imbalance_percent,"
			"above_fastest_ns,waiting_most_ns",
		.text_sort = "total_ns",
		.data_sort = "total_ns",
		.text_top = MPI_TEXT_ROWS,
		.note = document_text(document, "%sTotal: over all ranks; Least, A rank, Most: sums of one "
			"rank; Imbal.: (most - mean) / most; Bytes: of this rank's buffer; of a receive, "
			"where its status was asked for", notes[are_known]),
		.none = mpi_none_text(report->model),
		.rows = TABLE_ROWS(rows.rows, rows.nr_rows),
	});
	document_keep(document, rows.rows);
	add_sites(document, &by_site, &sites);
	return 0;
}
