/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds a saved profile to a model: processes without logs, names, functions, call paths. */
#include "analyzer/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/run_parts.h"
#include "analyzer/model/selection.h"
#include "analyzer/model/tree.h"
#include "analyzer/profile/profile_ranks.h"
#include "analyzer/profile/profile_rows.h"
#include "analyzer/profile/profile_transfers.h"
#include "analyzer/read/fields.h"
#include "analyzer/read/heap_read.h"
#include "analyzer/read/marks_read.h"
#include "analyzer/read/process.h"

size_t profile_nr_runs(const struct profile *profile)
{
	return profile->nr_runs;
}

bool profile_is_part(const struct profile *profile)
{
	return json_is_true(json_object_get(json_object_get(profile->root, "waiting"), "is_part"));
}

const char *profile_run_name(const struct profile *profile, size_t run)
{
	return json_string_value(json_array_get(json_object_get(profile->root, "runs"), run)) ?: "";
}

const struct profile_totals *profile_totals(const struct profile *profile)
{
	return &profile->totals;
}

/* A process without a log, with what its header is known to be. */
static struct process *open_process(struct profile *profile, struct model *model, const struct process *saved)
{
	struct log_header header = saved->header;
	uint64_t lasted_ns = header.finish.realtime_ns - header.start.realtime_ns;

	header.kind = LOG_OF_PROGRAM;
	header.clock = LOG_CLOCK_MONOTONIC;
	header.start.ticks = header.start.monotonic_ns;
	lasted_ns = lasted_ns ? lasted_ns : 1;
	header.finish =
		(struct log_clocks){ header.start.ticks + lasted_ns, header.start.monotonic_ns + lasted_ns,
				     header.start.realtime_ns + lasted_ns };
	header.end = saved->end_kind == END_EXEC ? LOG_RUNNING : LOG_EXITED;
	return process_of_header(model, profile->path, &header);
}

int profile_add_processes(struct profile *profile, struct model *model, uint32_t run)
{
	profile->first_run = run;
	for (size_t i = 0; i < profile->nr_processes; i++) {
		const struct process *saved = &profile->processes[i].process;
		struct process *process = open_process(profile, model, saved);

		if (!process)
			return -1;
		process->is_saved = true;
		process->run = run + saved->run;
		process->log_bytes = saved->log_bytes;
		profile->added[i] = process;
		APPEND(model->processes, model->nr_processes) = process;
	}
	model->saved_log_bytes += profile->totals.log_bytes;
	model->nr_damaged += profile->totals.damaged_records;
	model->nr_unreadable += profile->totals.unreadable_logs;
	model->calls_open_at_forks +=
		(uint64_t)json_integer_value(json_object_get(profile->root, "calls_open_at_forks"));
	return 0;
}

/* All its threads are one record, which has hardly more than their number. */
static void set_thread(struct process *process, const struct saved_process *of)
{
	const struct process *saved = &of->process;
	struct thread *thread = xcalloc(1, sizeof(*thread));

	thread->process = process;
	thread->nr_threads = saved->header.nr_threads ? saved->header.nr_threads : 1;
	thread->tid = process->header.pid;
	thread->begin = process->start;
	thread->end = NO_TIME;
	thread->calls = saved->calls;
	thread->functions_ns = saved->functions_ns;
	thread->heap = saved->heap;
	thread->open_calls = of->threads.open_calls;
	thread->overflow_depth = of->threads.overflow_depth;
	thread->heap_bytes = of->threads.heap_bytes;
	APPEND(process->threads, process->nr_threads) = thread;
}

void profile_set_ends(struct profile *profile)
{
	for (size_t i = 0; i < profile->nr_processes; i++) {
		struct process *saved = &profile->processes[i].process;
		struct process *process = profile->added[i];

		marks_release(process);
		process->said = saved->said;
		saved->said = NULL;
		process->facts = saved->facts;
		process->nr_facts = saved->nr_facts;
		saved->facts = NULL;
		saved->nr_facts = 0;
		process->timebase.nr_dropped = saved->timebase.nr_dropped;
		process->end_kind = saved->end_kind;
		process->end_status = saved->end_status;
		process->command = saved->command;
		process->exe = saved->exe;
		process->cwd = saved->cwd;
		process->has_usage = saved->cpu_ns != LOG_NONE;
		process->cpu_ns = saved->cpu_ns;
		process->user_ns = saved->user_ns;
		process->system_ns = saved->system_ns;
		process->peak_rss_bytes = saved->peak_rss_bytes;
		process->calls = saved->calls;
		process->functions_ns = saved->functions_ns;
		process->heap = saved->heap;
		memcpy(process->heap_sizes, saved->heap_sizes, sizeof(process->heap_sizes));
		process->heap_peak_bytes = saved->heap_peak_bytes;
		process->heap_peak = NO_TIME;
		set_thread(process, &profile->processes[i]);
	}
}

static struct function *saved_region(const struct profile *profile, struct function_tables *tables,
				     json_t *json, const char *name)
{
	const json_int_t made_up = json_integer_value(json_object_get(json, "made_up"));

	if (made_up == MADE_UP_GAP || made_up == MADE_UP_TEAM)
		return function_made_up(tables, profile->added[0], (enum made_up)made_up);
	return function_of_region(tables, profile->added[0], name,
				  (enum log_wait_kind)json_integer_value(json_object_get(json, "wait")));
}

void profile_add_functions(struct profile *profile, struct model *model)
{
	for (size_t i = 0; i < profile->nr_modules; i++)
		profile->objects[i] = object_find(model, &profile->modules[i]);
	for (size_t i = 0; i < profile->nr_functions; i++) {
		struct saved_function *function = &profile->functions[i];
		struct object *object = function->module < 0 ? NULL : profile->objects[function->module];
		struct saved_name name = {
			.addr = (uint64_t)json_integer_value(json_object_get(function->json, "addr")),
			.name = json_string_value(json_object_get(function->json, "name")),
			.file = json_string_value(json_object_get(function->json, "file")),
			.line = (uint32_t)json_integer_value(json_object_get(function->json, "line")),
		};

		if (object && name.name)
			naming_add_saved(object, &name);
		if (json_is_true(json_object_get(function->json, "others")))
			function->function = &model->tables->functions.others;
		else if (json_is_true(json_object_get(function->json, "counted")))
			function->function = &model->tables->functions.counted;
		else if (json_is_true(json_object_get(function->json, "region")))
			function->function = saved_region(profile, &model->tables->functions, function->json,
							  name.name ?: "");
		else
			function->function =
				function_at(&model->tables->functions, object, profile->added[0], name.addr);
		profile->list[i] = function->function;
	}
}

struct function **profile_functions(const struct profile *profile, size_t *nr)
{
	*nr = profile->nr_functions;
	return profile->list;
}

static void add_parts(const struct profile *profile, const struct model *model,
		      const struct saved_function *saved)
{
	struct function *function = saved->function;

	if (saved->parts && !function->parts)
		function->parts = xcalloc(model->nr_runs, sizeof(*function->parts));
	for (size_t i = 0; saved->parts && i < profile->nr_runs; i++)
		part_add(&function->parts[profile->first_run + i], &saved->parts[i], sizeof(*saved->parts));
	parts_add_heap(model, &function->heap_parts, saved->heap_parts, profile->first_run, profile->nr_runs);
}

static void add_cpu(const struct profile *profile, const struct model *model,
		    const struct saved_function *saved)
{
	for (uint32_t i = 0; saved->cpu_runs && i < profile->nr_runs; i++) {
		double cpu_ns = json_number_value(json_array_get(saved->cpu_runs, i));

		if (json_is_number(json_array_get(saved->cpu_runs, i)) && cpu_ns >= 0 && cpu_ns <= NS_MAX)
			parts_add_cpu(model, saved->function, profile->first_run + i, cpu_ns);
	}
}

static void add_functions_sums(const struct profile *profile, struct model *model)
{
	for (size_t i = 0; i < profile->nr_functions; i++) {
		struct saved_function *saved = &profile->functions[i];
		const char *field = json_string_value(json_object_get(saved->json, "field"));

		saved->function = function_merged(&model->tables->functions, saved->function);
		if (field)
			field_say(model, saved->function, field);
		if (saved->histogram.unit_ns > 0)
			histogram_add(&saved->function->histogram, saved->histogram.counts,
				      saved->histogram.unit_ns);
		if (profile->nr_runs > 1)
			add_parts(profile, model, saved);
		add_cpu(profile, model, saved);
	}
	parts_add_heap(model, &model->outside_parts, profile->outside_parts, profile->first_run,
		       profile->nr_runs);
}

static bool is_function(const struct profile *profile, int64_t number)
{
	return number >= 0 && (size_t)number < profile->nr_functions;
}

static void add_function_part(struct profile *profile, struct model *model, struct function *function,
			      const struct function_part *parts)
{
	if (profile->nr_runs > 1 && !function->parts)
		function->parts = xcalloc(model->nr_runs, sizeof(*function->parts));
	for (uint32_t i = 0; i < profile->nr_runs; i++) {
		uint32_t run = profile->first_run + i;

		if (profile->nr_runs > 1)
			part_add(&function->parts[run], &parts[i].calls, sizeof(parts[i].calls));
		if (parts[i].cpu_ns >= 0)
			parts_add_cpu(model, function, run, parts[i].cpu_ns);
	}
}

static int add_function_runs(struct profile *profile, struct model *model)
{
	struct function_part *parts = xcalloc(profile->nr_runs, sizeof(*parts));
	int64_t function;
	const char *row;
	int status;

	while ((status = profile_next_row(profile, &row)) > 0) {
		if (!parts_row_parse(row, &function, 1, profile_function_part_fields, parts, sizeof(*parts),
				     profile->nr_runs) ||
		    !is_function(profile, function)) {
			status = profile_bad_row(profile);
			break;
		}
		add_function_part(profile, model, profile->functions[function].function, parts);
	}
	free(parts);
	return status == 0 ? profile_next_list(profile, EDGES_BEGIN) : status;
}

static int add_edges(struct profile *profile, struct model *model)
{
	struct run_part *parts = xcalloc(profile->nr_runs, sizeof(*parts));
	int64_t places[2];		/* of the caller, -1: nothing recorded; of the function */
	const char *row;
	int status;

	while ((status = profile_next_row(profile, &row)) > 0) {
		if (!parts_row_parse(row, places, 2, profile_part_fields, parts, sizeof(*parts),
				     profile->nr_runs) ||
		    !is_function(profile, places[1]) ||
		    (places[0] != -1 && !is_function(profile, places[0]))) {
			status = profile_bad_row(profile);
			break;
		}
		parts_add_edge(model, places[0] < 0 ? NULL : profile->functions[places[0]].function,
			       profile->functions[places[1]].function, parts, profile->first_run,
			       profile->nr_runs);
	}
	free(parts);
	return status;
}

/*
 * The path of a row, or if it is *@left_out, the path that it is counted for. NULL: it refers to something
 * that does not exist.
 */
static struct tree_node *node_of(const struct profile *profile, struct model *model,
				 const struct saved_path *path, bool *left_out)
{
	size_t nr = profile->nr_rows;
	struct tree_node *parent, *starter;
	struct function *function;

	if (!nr)
		return path->parent == -1 && path->function == -1 ? model->root : NULL;
	if (path->parent < 0 || (size_t)path->parent >= nr || !is_function(profile, path->function))
		return NULL;
	parent = profile->nodes[path->parent];
	function = profile->functions[path->function].function;
	*left_out = !selection_keeps(model, parent, function);
	starter = parent->function && function->made_up == MADE_UP_TEAM ? parent : NULL;
	if (*left_out)
		return starter ? model->root : parent;
	return starter ? tree_team(model, starter, function) : tree_child(model, parent, function);
}

/* @node is the path that the row is counted for. */
static void add_left_out(struct profile *profile, struct model *model, struct tree_node *node,
			 const struct saved_path *path)
{
	const struct call_stats *calls = &path->counters.stats;

	profile->functions[path->function].function->lacks_times |= calls->calls > 0;
	model->selection.counted_around_ns += calls->timed_calls ? 0 : calls->around_ns;
	if (node->function)
		tree_add_samples(node, &path->counters.samples);
	else
		model->selection.outside_alloc_bytes += path->counters.heap.alloc_bytes;
}

static void add_kept(struct profile *profile, struct model *model, struct tree_node *node,
		     const struct saved_path *path)
{
	/* two paths became one: how many threads took both is not known */
	node->threads_unknown |= (path->counters.stats.calls && !path->counters.nr_threads) ||
				 (model->selection.is_on && node->sum.calls);
	node->nr_threads += path->counters.nr_threads;
	tree_add_samples(node, &path->counters.samples);
	profile->kept_calls += path->counters.stats.calls;
}

static int add_path(struct profile *profile, struct model *model, const char *row)
{
	struct saved_path path = { .parent = 0 };
	struct tree_node *node = NULL;
	struct function_time time;
	bool left_out = false;

	if (path_row_parse(&path, row, profile->nr_runs))
		node = node_of(profile, model, &path, &left_out);
	if (!node)
		return profile_bad_row(profile);
	profile->nodes = xgrow(profile->nodes, profile->nr_rows, sizeof(node));
	profile->nodes[profile->nr_rows] = node;
	if (profile->nr_runs > 1) {
		profile->ranges = xgrow(profile->ranges, profile->nr_rows, sizeof(*profile->ranges));
		profile->ranges[profile->nr_rows] = path.range;
	}
	profile->nr_rows++;
	tree_add_heap(node, &path.counters.heap);
	if (path.has_age)
		heap_age_add(model, node, &path.age);
	if (!left_out && !node->function)	/* outside of functions only the heap has a meaning */
		return 0;
	if (left_out)
		add_left_out(profile, model, node, &path);
	else
		add_kept(profile, model, node, &path);
	time = tree_add_recorded(model, node, &path.counters.stats, left_out,
				 path.parent == 0 || node->starter);
	profile->kept_ns += time.recorded_ns;
	profile->kept_hooks_ns += time.hooks_ns;
	return 0;
}

/*
 * Apply a selection to the processes, or give them the hooks' cost, which is not in their saved times. If
 * there are several, which of them made which calls is not known.
 */
static void set_kept(struct profile *profile)
{
	for (size_t i = 0; i < profile->nr_processes; i++) {
		struct process *process = profile->added[i];
		struct thread *thread = process->threads[0];

		process->functions_ns = thread->functions_ns =
			profile->nr_processes > 1 ? NAN : profile->kept_ns;
		thread->hooks_ns = profile->kept_hooks_ns;
		if (profile->nr_processes == 1)
			process->calls = thread->calls = profile->kept_calls;
	}
}

int profile_add_tree(struct profile *profile, struct model *model)
{
	const char *row;
	int status;

	add_functions_sums(profile, model);
	if (profile->version >= 4 && add_function_runs(profile, model) < 0)
		return -1;
	if (add_edges(profile, model) < 0 || profile_next_list(profile, PATHS_BEGIN) < 0)
		return -1;
	while ((status = profile_next_row(profile, &row)) > 0)
		if (add_path(profile, model, row) < 0)
			return -1;
	if (status == 0)
		status = profile_ranks_read(profile, model);
	if (status == 0 && profile_is_part(profile))
		status = profile_transfers_read(profile);
	if (model->selection.is_on || model->is_raw)
		set_kept(profile);
	return status;
}

void profile_add_ranges(const struct profile *profile, struct model *model)
{
	for (size_t i = 0; i < profile->nr_rows; i++)
		parts_add_range(&model->ranges[profile->nodes[i]->id], &profile->ranges[i]);
}
