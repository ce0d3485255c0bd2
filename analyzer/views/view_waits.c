/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits of library calls: for which lock or file, for how long, and which path held the lock. */
#include "analyzer/views/views.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/base/names.h"
#include "analyzer/calls/function_resources.h"
#include "analyzer/cells/cells.h"
#include "analyzer/cells/path_text.h"
#include "analyzer/model/resolve.h"
#include "analyzer/model/tree.h"
#include "analyzer/views/waits_read.h"

#define TEXT_ROWS 20
#define NAME_WIDTH 40 /* columns of a function's name among words */

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

static struct value get_pid(const struct column *column, const void *row)
{
	const struct process *process = ((const struct wait_row *)row)->sum.process;

	return process ? value_integer(UNIT_NONE, process->header.pid) : value_empty();
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
		return value_text(sum->call);
	case WAIT_KIND:
		return value_text(sum->function ? waits_kind(sum->function->wait) : "sampled");
	case WAIT_CALLER:
		return value_text(caller_of(sum));
	default:
		return value_text(sum->holder && sum->holder->function ? path_text(sum->holder) : NULL);
	}
}

static struct value get_time(const struct column *column, const void *row)
{
	const struct wait_sum *sum = row;
	struct value value = ns_cell(column->index ? sum->blocked_ns : sum->total_ns);

	value.is_sampled = sum->samples > 0;
	return value;
}

#define WAIT(member, unit) MEMBER(struct wait_row, member, unit)

static const struct column columns[] = {
	{ "total_ns", "Elapsed", COLUMN_SUMS, get_time, 0 },
	{ "total_percent", "", COLUMN_SUMS, WAIT(total_percent, UNIT_PERCENT) },
	{ "blocked_ns", "Blocked", COLUMN_SUMS | COLUMN_ALL, get_time, 1 },
	{ "calls", "Calls", COLUMN_SUMS, WAIT(sum.calls, UNIT_COUNT | NOT_0) },
	{ "samples", "Samples", COLUMN_SUMS | COLUMN_SPARE, WAIT(sum.samples, UNIT_COUNT | NOT_0) },
	{ "open_calls", "Open", COLUMN_SUMS | COLUMN_SPARE, WAIT(sum.open_calls, UNIT_COUNT) },
	{ "mean_ns", "Mean", 0, MEMBER_NS(struct wait_row, mean_ns) },
	{ "max_ns", "Max", COLUMN_SPARE, MEMBER_NS(struct wait_row, sum.max_ns) },
	{ "bytes", "Bytes", COLUMN_SUMS | COLUMN_SPARE, WAIT(sum.bytes, UNIT_BYTES | NOT_0) },
	{ "function", "Function", COLUMN_LEFT | COLUMN_NAME, get_text, WAIT_FUNCTION },
	{ "kind", "Kind", COLUMN_LEFT, get_text, WAIT_KIND },
	{ "object", "Object", COLUMN_LEFT, WAIT(sum.object, 0) },
	{ "object_source", "Initialised", COLUMN_LEFT, WAIT(sum.object_place, 0) },
	{ "caller", "Caller", COLUMN_LEFT, get_text, WAIT_CALLER },
	{ "source", "Source", COLUMN_LEFT, WAIT(sum.place, 0) },
	{ "holder", "Holder", COLUMN_LEFT, get_text, WAIT_HOLDER },
	{ "holder_thread", "Held by", 0, get_holder_thread, WHO_TID },
	{ "holder_thread_name", "Held by", COLUMN_LEFT, get_holder_thread, WHO_THREAD_NAME },
	{ "pid", "Pid", COLUMN_SPARE, get_pid, 0 },
	{ "wait", "Call, what it waited for, caller", COLUMN_LEFT | COLUMN_WRAPS, WAIT(text, 0) },
};

static const char *name_of(struct document *document, const struct function *function)
{
	return document_keep(document, name_fit(function->short_name, NAME_WIDTH, "..."));
}

static bool is_of_header(struct function *function)
{
	resolve_source(function);
	return function->file && path_is_header(function->file);
}

/* The nearest caller that is no function of an installed header, as std::mutex::lock(); else @path. */
static const struct tree_node *own_path(const struct tree_node *path)
{
	const struct tree_node *own = path;

	while (own && own->function && is_of_header(own->function))
		own = own->parent;
	return own && own->function ? own : path;
}

/* "run > step" of main > run > step, and "run > step > read" if there it waits. */
static char *end_of_path(struct document *document, const struct tree_node *node)
{
	const struct tree_node *path = own_path(node), *above = path->parent ? own_path(path->parent) : NULL;
	const char *name = name_of(document, path->function);

	if (!above || !above->function || is_of_header(above->function))
		return document_text(document, "%s", name);
	return document_text(document, "%s > %s", path->function->wait ? end_of_path(document, above)
									: name_of(document, above->function),
			     name);
}

static const char *caller_text(struct document *document, const struct wait_sum *sum)
{
	return sum->caller ? end_of_path(document, sum->caller) : sum->caller_name;
}

/*
 * "pthread_mutex_lock table_lock, held by run > rebuild, in run > update (a.c:12)". @most: of several holders
 * it is the one that was waited for longest.
 */
static char *wait_text(struct document *document, const struct wait_sum *sum, bool most)
{
	const char *caller = caller_text(document, sum), *held = most ? "held most by" : "held by";
	char *text = document_text(document, "%s", sum->call);

	if (sum->object)
		text = document_text(document, "%s %s", text, sum->object);
	if (sum->object_place && strncmp(sum->object, "0x", 2) == 0)
		text = document_text(document, "%s of %s", text, sum->object_place);
	if (sum->holder && sum->holder->function)
		text = document_text(document, "%s, %s %s,", text, held, end_of_path(document, sum->holder));
	else if (sum->holder_thread)
		text = document_text(document, "%s, %s thread %s,", text, held, sum->holder_thread->name);
	if (caller)
		text = document_text(document, "%s in %s", text, caller);
	if (sum->place)
		text = document_text(document, "%s (%s)", text, sum->place);
	return text;
}

/* ---- waits of one call in one place, whatever it waited for ---- */

struct group {
	struct wait_sum sum; /* object and holder are those of the longest wait */
	const char *caller;
	size_t nr_objects;
	bool several_holders;
};

/* An object that calls of a group waited for. */
struct group_object {
	const struct group *group;
	const char *name;
};

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_group(const void *item, const void *key)
{
	const struct group *a = item, *b = key;

	return a->sum.function == b->sum.function && strcmp(a->sum.call, b->sum.call) == 0 &&
	       is_same_text(a->sum.place, b->sum.place) && is_same_text(a->caller, b->caller);
}

static bool is_object(const void *item, const void *key)
{
	const struct group_object *a = item, *b = key;

	return a->group == b->group && strcmp(a->name, b->name) == 0;
}

static void count_object(struct hashtable *objects, struct group *group, const char *name)
{
	struct group_object wanted = { group, name }, *object;
	uint64_t hash = name ? hash_pair((uint64_t)(uintptr_t)group, hash_string(name)) : 0;

	if (!name || hashtable_find(objects, hash, is_object, &wanted))
		return;
	object = xcalloc(1, sizeof(*object));
	*object = wanted;
	hashtable_add(objects, hash, object);
	group->nr_objects++;
}

static void add_to_group(struct group *group, const struct wait_sum *sum)
{
	group->sum.calls += sum->calls;
	group->sum.open_calls += sum->open_calls;
	group->sum.bytes += sum->bytes;
	group->sum.samples += sum->samples;
	group->sum.total_ns += sum->total_ns;
	group->sum.blocked_ns += sum->blocked_ns;
	group->sum.max_ns = fmax(group->sum.max_ns, sum->max_ns);
	if (!group->sum.object)
		group->sum.object = sum->object;
	if (!is_same_text(group->sum.object_place, sum->object_place))
		group->sum.object_place = NULL;
	if (group->sum.process != sum->process)
		group->sum.process = NULL;
	group->several_holders |= group->sum.holder != sum->holder;
}

static void add_row(struct document *document, struct table_rows *rows, const struct wait_sums *sums,
		    const struct wait_sum *sum, bool several_holders)
{
	const struct wait_row row = { *sum, 100 * sum->total_ns / sums->total_ns,
				      sum->calls ? sum->total_ns / (double)sum->calls : NAN,
				      wait_text(document, sum, several_holders) };

	document_add_row(document, rows, &row);
}

static struct table_rows groups_of(struct document *document, const struct wait_sums *sums)
{
	struct table_rows rows = ROWS_OF(struct wait_row);
	struct hashtable groups = { .slots = NULL }, objects = { .slots = NULL };
	struct group *group;

	for (size_t i = 0; i < sums->nr; i++) {
		const struct wait_sum *sum = &sums->sums[i];
		struct group wanted = { .sum = *sum, .caller = caller_text(document, sum) };
		uint64_t hash = hash_pair(hash_string(sum->call), sum->place ? hash_string(sum->place) : 0) +
				(wanted.caller ? hash_string(wanted.caller) : 0);

		group = hashtable_find(&groups, hash, is_group, &wanted);
		if (group) {
			add_to_group(group, sum);
		} else {
			group = xcalloc(1, sizeof(*group));
			*group = wanted;
			hashtable_add(&groups, hash, group);
		}
		count_object(&objects, group, sum->object);
	}
	for (size_t at = 0; (group = hashtable_next(&groups, &at));) {
		if (group->nr_objects > 1)
			group->sum.object =
				document_text(document, "%s and %zu other%s", group->sum.object,
					      group->nr_objects - 1, group->nr_objects > 2 ? "s" : "");
		add_row(document, &rows, sums, &group->sum, group->several_holders);
	}
	hashtable_release(&groups);
	hashtable_release(&objects);
	return rows;
}

#define HOLDER_NOTE "held by: where the holder was when the wait began"

static bool has_holder(const struct wait_sums *sums)
{
	for (size_t i = 0; i < sums->nr; i++)
		if (sums->sums[i].holder_thread)
			return true;
	return false;
}

static bool has_samples(const struct wait_sums *sums)
{
	for (size_t i = 0; i < sums->nr; i++)
		if (sums->sums[i].samples)
			return true;
	return false;
}

/* With fewer looks than this a share says nothing. */
#define LOOKS_LEAST 10

static char *note(struct document *document, const struct wait_sums *sums)
{
	const char *between = "";
	char *text = document_text(document, "%s", "");

	if (!sums->nr)
		return document_text(document, "no library call waited, or --waits=off");
	if (sums->blocked_ns > 0 && sums->nr_looks >= LOOKS_LEAST) {
		text = document_text(document,
				     "%.0f %% of the time that threads were blocked has a name, by %" PRIu64
				     " looks at blocked threads",
				     100 * sums->named_ns / sums->blocked_ns, sums->nr_looks);
		between = "; ";
	}
	if (has_samples(sums)) {
		text = document_text(document,
				     "%s%s≈: what looks at blocked threads found, beside recorded calls",
				     text, between);
		between = "; ";
	}
	return has_holder(sums) ? document_text(document, "%s%s%s", text, between, HOLDER_NOTE) : text;
}

/*
 * The part of a wait's elapsed time that was neither CPU time nor time ready. Waits of one path share its
 * blocked time as they do its elapsed time. Looks saw blocked threads only. NAN: not known
 */
static double blocked_ns(const struct model *model, const struct wait_sum *sum)
{
	const double self_ns = sum->path ? path_stats(sum->path).self_ns : 0;
	double blocked_ns;

	if (sum->samples)
		return sum->total_ns;
	if (!sum->path)
		return sum->blocked_ns;
	if (!(self_ns > 0) || !model->path_used_ns)
		return NAN;
	blocked_ns = model->path_used_ns[sum->path->id][USE_BLOCKED_NS];
	return isnan(blocked_ns) ? NAN : sum->total_ns * fmin(blocked_ns / self_ns, 1);
}

/*
 * A look at a blocked thread stands for all of its blocked time since the look before, wherever the thread
 * was then. How long a path was blocked in itself is known better: what looks found there shares that.
 */
static void fit_samples(const struct model *model, struct wait_sums *sums)
{
	double *sampled_ns = xcalloc(model->nr_tree_nodes, sizeof(*sampled_ns)); /* [id of a path] */

	for (size_t i = 0; i < sums->nr; i++)
		if (sums->sums[i].samples && sums->sums[i].caller)
			sampled_ns[sums->sums[i].caller->id] += sums->sums[i].total_ns;
	for (size_t i = 0; i < sums->nr && model->path_used_ns; i++) {
		struct wait_sum *sum = &sums->sums[i];
		const struct tree_node *path = sum->samples ? sum->caller : NULL;
		double fitted_ns;

		if (!path || !(path_stats(path).self_ns > 0))
			continue;
		fitted_ns = model->path_used_ns[path->id][USE_BLOCKED_NS] * sum->total_ns /
			    sampled_ns[path->id];
		if (!(fitted_ns >= 0))
			continue;
		sums->total_ns += fitted_ns - sum->total_ns;
		sum->total_ns = fitted_ns;
	}
	free(sampled_ns);
}

/* The time of a process's threads outside of all calls. */
static double outside_ns(const struct process *process)
{
	double sum_ns = 0;

	for (size_t i = 0; i < process->nr_threads; i++) {
		const struct thread *thread = process->threads[i];
		const int64_t end = thread->end != NO_TIME ? thread->end : process->last;

		if (thread->begin != NO_TIME)
			sum_ns += fmax((double)(end - thread->begin) - fmax(thread->functions_ns, 0), 0);
	}
	return sum_ns;
}

/* Likewise looks at threads of @process that were in no call: no longer than these were outside of calls. */
static void bound_samples(const struct process *process, struct wait_sums *sums)
{
	double sampled_ns = 0, share;

	for (size_t i = 0; i < sums->nr; i++)
		if (sums->sums[i].samples && !sums->sums[i].caller && sums->sums[i].process == process)
			sampled_ns += sums->sums[i].total_ns;
	share = sampled_ns > 0 ? fmin(outside_ns(process) / sampled_ns, 1) : 1;
	for (size_t i = 0; i < sums->nr && share < 1; i++) {
		struct wait_sum *sum = &sums->sums[i];

		if (!sum->samples || sum->caller || sum->process != process)
			continue;
		sums->total_ns -= sum->total_ns * (1 - share);
		sum->total_ns *= share;
	}
}

/* They live as long as the document. */
static struct wait_sums *read_sums(struct document *document, struct model *model)
{
	struct wait_sums *sums = document_new(document, sizeof(*sums));

	waits_read(model, sums);
	if (sums->nr)
		function_use_read(model);
	fit_samples(model, sums);
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->header.has_hooks)
			bound_samples(model->processes[i], sums);
	for (size_t i = 0; i < sums->nr; i++)
		sums->sums[i].blocked_ns = blocked_ns(model, &sums->sums[i]);
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

static struct table table_of(struct table_rows rows)
{
	return (struct table){
		.name = "waits",
		TABLE_COLUMNS(columns),
		.text_columns = "total_ns,total_percent,blocked_ns,calls,mean_ns,wait",
		.data_columns =
			"function,kind,object,object_source,caller,source,holder,holder_thread,"
			"holder_thread_name,calls,open_calls,total_ns,blocked_ns,mean_ns,max_ns,bytes,"
			"samples,pid",
		.text_sort = "total_ns",
		.data_sort = "total_ns",
		.text_top = TEXT_ROWS,
		.rows = rows,
	};
}

static struct table groups_table(struct document *document, const struct report *report,
				 const struct wait_sums *sums)
{
	struct table table = table_of(groups_of(document, sums));

	table.title = report->title;
	table.note = note(document, sums);
	table.formats = IN_TEXT;
	return table;
}

struct table waits_table(struct document *document, const struct report *report)
{
	return groups_table(document, report, read_sums(document, report->model));
}

int view_waits(struct document *document, struct report *report)
{
	const struct wait_sums *sums = read_sums(document, report->model);
	struct table groups = groups_table(document, report, sums), table;
	struct table_rows rows = ROWS_OF(struct wait_row);

	for (size_t i = 0; i < sums->nr; i++)
		add_row(document, &rows, sums, &sums->sums[i], false);
	document_add_table(document, &groups);
	table = table_of(rows);
	table.formats = IN_CSV | IN_JSON | (groups.rows.nr < rows.nr ? IN_TEXT : 0);
	table.title = "each object";
	if (report->model->nr_processes > 1) {
		table.title = "each object; without a Pid: in several processes";
		table.text_columns = "total_ns,total_percent,blocked_ns,calls,mean_ns,pid,wait";
	}
	document_add_table(document, &table);
	return 0;
}
