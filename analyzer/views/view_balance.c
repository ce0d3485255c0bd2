/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How evenly work and memory are spread over ranks or processes, or in a single one over the threads of each
 * pool: least, mean and most of functions, fields and peaks.
 */
#include "analyzer/views/view_balance.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/process_sums.h"
#include "analyzer/cells/cells.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/process_usage.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/tree.h"
#include "analyzer/read/fields.h"
#include "analyzer/views/views.h"

enum kind { OF_FUNCTION, OF_FIELD, OF_MEMORY };

/* One function, field or peak over the ranks. A rank without it has 0. */
struct balance_row {
	enum kind kind;
	struct function *function;
	const char *name; /* of a field or a peak */
	double least, sum, most; /* least: of all ranks, */
	double own_least;	 /* of those that have it */
	const struct process *whose; /* that has the most */
	struct thread *whose_thread; /* of a pool; NULL: ranks are compared */
	struct function *pool;	/* that its threads began with */
	double own;		     /* of the rank that is read */
	size_t nr_owners;	     /* ranks that have it */
	size_t nr_ranks;	     /* of all */
	bool is_touched;
};

struct balance {
	struct balance_row **rows;
	size_t nr_rows;
	struct balance_row **functions; /* [function->number]; NULL: not seen yet */
	struct balance_row **touched;	/* rows of the rank that is read */
	size_t nr_touched;
	size_t nr_ranks;
	size_t first_row; /* of the pool that is read */
	struct function *pool;
	bool has_other_fields; /* other than those of ranks in a saved profile */
};

static struct balance_row *add_row(struct balance *balance, enum kind kind, struct function *function,
				   const char *name)
{
	struct balance_row *row = xcalloc(1, sizeof(*row));

	*row = (struct balance_row){ kind, function, name, .pool = balance->pool };
	return APPEND(balance->rows, balance->nr_rows) = row;
}

/* Fields and peaks are few. */
static struct balance_row *named_row(struct balance *balance, enum kind kind, const char *name)
{
	for (size_t i = balance->first_row; i < balance->nr_rows; i++)
		if (balance->rows[i]->kind == kind && strcmp(balance->rows[i]->name, name) == 0)
			return balance->rows[i];
	return add_row(balance, kind, NULL, name);
}

static void add_own(struct balance *balance, struct balance_row *row, double more)
{
	if (!row->is_touched) {
		row->is_touched = true;
		APPEND(balance->touched, balance->nr_touched) = row;
	}
	row->own += more;
}

static void close_rank(struct balance *balance, const struct process *process, struct thread *thread)
{
	for (size_t i = 0; i < balance->nr_touched; i++) {
		struct balance_row *row = balance->touched[i];
		const double own = fmax(0, row->own);

		if (!row->nr_owners || own < row->least)
			row->least = own;
		if (!row->nr_owners || own > row->most) {
			row->most = own;
			row->whose = process;
			row->whose_thread = thread;
		}
		row->sum += own;
		row->nr_owners++;
		row->own = 0;
		row->is_touched = false;
	}
	free(balance->touched);
	balance->touched = NULL;
	balance->nr_touched = 0;
	balance->nr_ranks++;
}

static void add_self(struct balance *balance, struct function *function, double self_ns)
{
	struct balance_row **row = &balance->functions[function->number];

	if (!*row)
		*row = add_row(balance, OF_FUNCTION, function, "");
	add_own(balance, *row, self_ns);
}

static void add_sum(const struct process_sum *sum, void *context)
{
	if (sum->path->function && isfinite(sum->stats.self_ns))
		add_self(context, sum->path->function, sum->stats.self_ns);
}

/* A field has what its functions have. */
static void add_fields(struct balance *balance)
{
	const size_t nr = balance->nr_touched;

	for (size_t i = 0; i < nr; i++) {
		const struct balance_row *of = balance->touched[i];

		if (of->function->field && of->function->field[0] != '@')
			add_own(balance, named_row(balance, OF_FIELD, of->function->field), of->own);
	}
}

/* The highest of all programs that the process was by exec. */
static void add_peaks(struct balance *balance, struct process *first)
{
	double heap_bytes = NAN, rss_bytes = NAN;

	for (struct process *process = first; process; process = process_next_image(process)) {
		if (process->header.heap_bytes == LOG_HEAP_REQUESTED)
			heap_bytes = fmax(heap_bytes, (double)process->heap_peak_bytes);
		rss_bytes = fmax(rss_bytes, usage_of_process(process).peak_rss_bytes);
	}
	if (isfinite(heap_bytes))
		add_own(balance, named_row(balance, OF_MEMORY, "peak heap"), heap_bytes);
	if (isfinite(rss_bytes))
		add_own(balance, named_row(balance, OF_MEMORY, "peak RSS"), rss_bytes);
}

/* In a run of ranks only they are compared, not what they start, nor the launcher. */
static bool is_compared(const struct process *process, bool has_ranks)
{
	return !has_ranks || (process->header.rank >= 0 && !process->header.is_rank_child);
}

/* Does a process that is compared become @process by exec? */
static bool is_later_image(const struct process *process, bool has_ranks)
{
	for (size_t i = 0; i < process->model->nr_processes; i++)
		if (process_next_image(process->model->processes[i]) == process &&
		    is_compared(process->model->processes[i], has_ranks))
			return true;
	return false;
}

/* For ranks without logs. Their fields are those at the time of saving. */
static void add_saved(struct balance *balance, const struct rank_sums *saved)
{
	for (size_t i = 0; i < saved->nr_ranges; i++) {
		const struct rank_range *range = &saved->ranges[i];
		struct balance_row *row;

		if (!range->function && balance->has_other_fields)
			continue;
		row = range->function ? balance->functions[range->function->number]
				      : named_row(balance, OF_FIELD, range->field);
		if (!row)
			row = balance->functions[range->function->number] =
				add_row(balance, OF_FUNCTION, range->function, "");
		row->least = row->nr_owners ? fmin(row->least, range->least_ns) : range->least_ns;
		if (range->most_ns > row->most || !row->nr_owners) {
			row->most = range->most_ns;
			row->whose = range->whose;
		}
		row->sum += range->sum_ns;
		row->nr_owners += range->nr_ranks;
	}
}

/* The sums of a saved profile hold for all its calls. */
static bool has_saved_sums(const struct model *model)
{
	return model->saved_ranks && !model->saved_ranks->lacks && !model->selection.is_on;
}

/* A rank without it has 0. */
static void finish_rows(struct balance *balance)
{
	for (size_t i = balance->first_row; i < balance->nr_rows; i++) {
		struct balance_row *row = balance->rows[i];

		row->nr_ranks = balance->nr_ranks;
		row->own_least = row->least;
		if (row->nr_owners < balance->nr_ranks)
			row->least = 0;
	}
}

static void add_rank(struct balance *balance, struct process *first)
{
	struct process *last = first;

	for (struct process *process = first; process; process = process_next_image(process)) {
		if (!process->is_saved)
			process_sums_each(process, add_sum, balance);
		last = process;
	}
	if (!first->is_saved)
		add_fields(balance);
	add_peaks(balance, first);
	close_rank(balance, last, NULL);
}

/* @of_part: others have the rest of the ranks. */
static void read_ranks(struct balance *balance, struct model *model, bool of_part)
{
	bool has_ranks = false;

	balance->functions =
		xcalloc(functions_count(&model->tables->functions) + 1, sizeof(*balance->functions));
	for (size_t i = 0; i < model->nr_processes; i++)
		has_ranks |= model->processes[i]->header.rank >= 0;
	for (size_t i = 0; i < model->nr_left_out && of_part; i++)
		has_ranks |= model->left_out[i]->header.rank >= 0;
	if (has_saved_sums(model))
		add_saved(balance, model->saved_ranks);
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];

		if (!is_compared(process, has_ranks) || (process->is_saved && !has_saved_sums(model)) ||
		    is_later_image(process, has_ranks))
			continue;
		add_rank(balance, process);
	}
	finish_rows(balance);
	free(balance->functions);
}

/* ---- threads of pools ---- */

struct self_time {
	const struct thread *thread;
	struct function *function;
	double ns;
	bool is_in_region; /* a parallel region that the thread itself began */
};

struct self_times {
	struct self_time *list;
	size_t nr;
	const bool *in_regions; /* tree_in_regions() */
};

static void keep_time(const struct process_sum *sum, void *context)
{
	struct self_times *times = context;
	struct self_time time = { sum->thread, sum->path->function, sum->stats.self_ns,
				  times->in_regions && times->in_regions[sum->path->id] };

	if (!time.thread || !time.function || !isfinite(time.ns))
		return;
	time.is_in_region &= !time.thread->is_in_teams;
	APPEND(times->list, times->nr) = time;
}

static int by_thread(const void *a, const void *b)
{
	const struct thread *left = ((const struct self_time *)a)->thread,
			    *right = ((const struct self_time *)b)->thread;

	return (left->index > right->index) - (left->index < right->index);
}

/* @region: only those in regions that the thread began. Return: were there any? */
static bool add_times(struct balance *balance, const struct self_times *times, const struct thread *thread,
		      bool region)
{
	size_t at = PARTITION_POINT(i, times->nr, times->list[i].thread->index < thread->index);
	const size_t nr_before = balance->nr_touched;

	for (; at < times->nr && times->list[at].thread == thread; at++)
		if (!region || times->list[at].is_in_region)
			add_self(balance, times->list[at].function, times->list[at].ns);
	return balance->nr_touched > nr_before;
}

/* Those that began with one function are a pool; of OpenMP, a thread that began their regions, too. */
static void read_pool(struct balance *balance, const struct self_times *times, const struct process *process,
		      struct function *begin)
{
	bool is_team = false;

	memset(balance->functions, 0, (functions_count(&process->model->tables->functions) + 1) *
					      sizeof(*balance->functions));
	balance->first_row = balance->nr_rows;
	balance->nr_ranks = 0;
	balance->pool = begin;
	for (size_t i = 0; i < process->nr_threads; i++)
		is_team |= process->threads[i]->is_in_teams &&
			   resolve_outermost(process->threads[i]) == begin;
	for (size_t i = 0; i < process->nr_threads; i++) {
		struct thread *thread = process->threads[i];
		bool is_own = resolve_outermost(thread) == begin;

		if (thread->left_out || (!is_own && !is_team) ||
		    (!add_times(balance, times, thread, !is_own) && !is_own))
			continue;
		add_fields(balance);
		close_rank(balance, process, thread);
	}
	finish_rows(balance);
}

/* Is @index the first thread of a pool of several, or of a team? Who began the team is not in the pool. */
static bool begins_pool(const struct process *process, size_t index)
{
	const struct function *begin = resolve_outermost(process->threads[index]);
	size_t nr = 0;

	for (size_t i = 0; begin && i < process->nr_threads; i++) {
		if (process->threads[i]->left_out || resolve_outermost(process->threads[i]) != begin)
			continue;
		if (i < index)
			return false;
		nr += 1 + process->threads[i]->is_in_teams;
	}
	return nr > 1;
}

bool balance_compares(const struct model *model)
{
	size_t nr_ranks = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		nr_ranks += is_compared(model->processes[i], true) &&
			    !is_later_image(model->processes[i], true);
	if (model->nr_processes == 1 && !model->processes[0]->is_saved && !model->processes[0]->entry_log)
		for (size_t i = 0; i < model->processes[0]->nr_threads; i++)
			if (begins_pool(model->processes[0], i))
				return true;
	return nr_ranks > 1;
}

static void read_pools(struct balance *balance, struct model *model)
{
	bool *in_regions;

	for (size_t i = 0; i < model->nr_processes; i++)	/* adds functions, so it comes first */
		for (size_t j = 0; j < model->processes[i]->nr_threads; j++)
			resolve_outermost(model->processes[i]->threads[j]);
	in_regions = tree_in_regions(model);
	balance->functions =
		xcalloc(functions_count(&model->tables->functions) + 1, sizeof(*balance->functions));
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];
		struct self_times times = { .in_regions = in_regions };

		if (process->is_saved || process->entry_log)
			continue;
		process_sums_each(process, keep_time, &times);
		if (times.nr)
			qsort(times.list, times.nr, sizeof(*times.list), by_thread);
		for (size_t j = 0; j < process->nr_threads; j++)
			if (begins_pool(process, j))
				read_pool(balance, &times, process, resolve_outermost(process->threads[j]));
		free(times.list);
	}
	free(balance->functions);
	free(in_regions);
}

/* ---- cells ---- */

enum { LEAST, MEAN, MOST, OVER, NR_SPREADS };
enum { RANK = NR_SPREADS, THREAD, THREAD_NAME, POOL, IMBALANCE, KIND };

static double spread(const struct balance_row *row, size_t which)
{
	const double mean = row->sum / (double)row->nr_ranks;

	return which == LEAST  ? row->least
	       : which == MEAN ? mean
	       : which == MOST ? row->most
			       : row->most - mean;
}

static struct value get_time(const struct column *column, const void *row)
{
	const struct balance_row *of = row;
	struct value value = value_empty();

	if (of->kind == OF_MEMORY)
		return value;
	value = ns_cell(spread(of, column->index));
	value.is_sampled = of->function && of->function->is_counted;
	return value;
}

static struct value get_bytes(const struct column *column, const void *row)
{
	const struct balance_row *of = row;

	return of->kind == OF_MEMORY ? value_integer(UNIT_BYTES, llround(spread(of, column->index)))
				     : value_empty();
}

/* Is the difference by samples within two standard errors? */
static bool is_chance(const struct balance_row *of)
{
	const double sample_ns = of->whose ? (double)of->whose->header.sample_interval_ns : 0;

	return of->function && of->function->is_counted &&
	       spread(of, OVER) < 2 * sqrt(of->most * sample_ns * (1 - 1 / (double)of->nr_ranks));
}

static struct value get(const struct column *column, const void *row)
{
	static const char *const kinds[] = { "function", "field", "memory" };
	const struct balance_row *of = row;

	switch (column->index) {
	case THREAD:
		return of->whose_thread ? value_integer(UNIT_NONE, of->whose_thread->tid) : value_empty();
	case THREAD_NAME:
		return value_text(of->whose_thread ? of->whose_thread->name : NULL);
	case RANK:
		if (of->whose_thread)
			return value_empty();
		return who_cell(of->whose, NULL, of->whose->header.rank >= 0 ? WHO_RANK : WHO_PID);
	case IMBALANCE:
		return of->most > 0 && !is_chance(of)
			       ? value_real(UNIT_PERCENT, 100 * spread(of, OVER) / of->most)
			       : value_empty();
	default:
		return value_text(kinds[of->kind]);
	}
}

static struct value get_name(const struct column *column, const void *row)
{
	const struct balance_row *of = row;
	struct value name = value_text(of->name);

	if (of->function)
		return function_cell(of->function, column->index);
	name.is_literal = true; /* parentheses are part of a field's name */
	return name;
}

static struct value get_pool(const struct column *column, const void *row)
{
	struct function *function = ((const struct balance_row *)row)->pool;

	return function ? function_cell(function, column->index) : value_empty();
}

static const struct column columns[] = {
	{ "kind", "Kind", COLUMN_LEFT, get, KIND },
	{ "over_mean_ns", "Most-mean", 0, get_time, OVER },
	{ "least_ns", "Least", COLUMN_SPARE, get_time, LEAST },
	{ "mean_ns", "Mean", 0, get_time, MEAN },
	{ "most_ns", "Most", 0, get_time, MOST },
	{ "over_mean_bytes", "Most-mean", 0, get_bytes, OVER },
	{ "least_bytes", "Least", COLUMN_SPARE, get_bytes, LEAST },
	{ "mean_bytes", "Mean", 0, get_bytes, MEAN },
	{ "most_bytes", "Most", 0, get_bytes, MOST },
	{ "most_rank", "In rank", 0, get, RANK },
	{ "most_thread", "In thread", 0, get, THREAD },
	{ "most_thread_name", "", COLUMN_LEFT, get, THREAD_NAME },
	{ "pool", "Threads of", COLUMN_LEFT | COLUMN_SPARE, get_pool, CELL_NAME },
	{ "ranks", "Ranks", COLUMN_SPARE, MEMBER(struct balance_row, nr_owners, UNIT_COUNT) },
	{ "imbalance_percent", "Imbal.", 0, get, IMBALANCE },
	{ "name", "Name", COLUMN_FUNCTION, get_name, CELL_NAME },
};

/* ---- tables ---- */

static struct table *add_table(struct document *document, struct balance_row *rows, size_t nr_rows)
{
	return document_add_table(document, &(struct table){
		.name = "balance",
		.what = "rows",
		TABLE_COLUMNS(columns),
		.data_columns =
			"kind,name,ranks,least_ns,mean_ns,most_ns,over_mean_ns,least_bytes,mean_bytes,"
			"most_bytes,over_mean_bytes,most_rank,imbalance_percent,most_thread,"
			"most_thread_name,pool",
		.rows = TABLE_ROWS(rows, nr_rows),
	});
}

static const char *note(struct document *document, const struct balance *balance)
{
	bool any = false;

	for (size_t i = 0; i < balance->nr_rows; i++)
		any |= is_chance(balance->rows[i]);
	return document_text(
		document,
		"self time over %s; one without the function has 0; Imbal.: (most - mean) / most: how much "
		"shorter it would be if all had the mean%s",
		balance->rows[0]->whose_thread ? "the threads that began with one function"
					       : document_text(document, "%zu ranks", balance->nr_ranks),
		any ? "; empty: by samples it may be chance" : "");
}

static void add_tables(struct document *document, struct report *report, const struct balance *balance)
{
	struct balance_row *rows = document_new(document, (balance->nr_rows + 1) * sizeof(*rows));
	size_t nr = 0, nr_times;
	struct table *table;

	for (size_t i = 0; i < balance->nr_rows; i++)
		if (balance->rows[i]->kind != OF_MEMORY && balance->rows[i]->most > 0)
			rows[nr++] = *balance->rows[i];
	nr_times = nr;
	for (size_t i = 0; i < balance->nr_rows; i++)
		if (balance->rows[i]->kind == OF_MEMORY)
			rows[nr++] = *balance->rows[i];
	table = add_table(document, rows, nr_times);
	table->title = report->title;
	table->formats = IN_TEXT;
	table->text_sort = "over_mean_ns";
	table->text_top = 20;
	table->text_columns =
		nr && rows[0].whose_thread
			? "over_mean_ns,mean_ns,most_ns,most_thread,most_thread_name,"
			  "imbalance_percent,pool,kind,name"
			: "over_mean_ns,least_ns,mean_ns,most_ns,most_rank,ranks,imbalance_percent,kind,name";
	table->note = note(document, balance);
	table = add_table(document, rows + nr_times, nr - nr_times);
	table->name = "memory";
	table->title = "memory";
	table->formats = nr > nr_times ? IN_TEXT : 0;
	table->aside = true;
	table->text_columns =
		"over_mean_bytes,least_bytes,mean_bytes,most_bytes,most_rank,ranks,imbalance_percent,name";
	table = add_table(document, rows, nr);
	table->formats = IN_CSV | IN_JSON;
	table->data_sort = "over_mean_ns";
}

static void release_rows(struct balance *balance)
{
	for (size_t i = 0; i < balance->nr_rows; i++)
		free(balance->rows[i]);
	free(balance->rows);
}

size_t balance_ranges(struct model *model, bool of_part, struct rank_range **ranges)
{
	struct balance balance = { 0 };
	size_t nr = 0;

	*ranges = NULL;
	read_ranks(&balance, model, of_part);
	for (size_t i = 0; i < balance.nr_rows && (of_part || balance.nr_ranks > 1); i++) {
		const struct balance_row *row = balance.rows[i];

		if (row->kind != OF_MEMORY && (of_part || row->most > 0))
			APPEND(*ranges, nr) =
				(struct rank_range){ row->function, row->function ? NULL : row->name,
						     row->own_least, row->sum, row->most, row->whose,
						     row->nr_owners };
	}
	release_rows(&balance);
	return nr;
}

int view_balance(struct document *document, struct report *report)
{
	const struct rank_sums *saved = report->model->saved_ranks;
	struct balance balance = { .has_other_fields = report->options->fields && saved && !saved->is_part };

	fields_apply(report->model, report->options->fields);
	read_ranks(&balance, report->model, false);
	if (balance.nr_ranks < 2) {
		release_rows(&balance);
		balance = (struct balance){ 0 };
		read_pools(&balance, report->model);
	}
	if (!balance.nr_rows) {
		document_add(document, NULL,
			     "nothing to compare: only one rank or process has a log, and no two threads "
			     "began with one function");
		add_table(document, NULL, 0)->formats = IN_CSV | IN_JSON;
	} else {
		add_tables(document, report, &balance);
	}
	release_rows(&balance);
	return 0;
}
