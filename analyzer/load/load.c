/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the logs of a run together. */
#include "analyzer/load/load.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/progress.h"
#include "analyzer/calls/slices.h"
#include "analyzer/lines/lines.h"
#include "analyzer/load/match_builds.h"
#include "analyzer/load/select.h"
#include "analyzer/load/thread_times.h"
#include "analyzer/log/logfile.h"
#include "analyzer/counted/counted_calls.h"
#include "analyzer/counted/counted_times.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/names_file.h"
#include "analyzer/model/naming.h"
#include "analyzer/model/parents.h"
#include "analyzer/model/process_filter.h"
#include "analyzer/model/rank_sums.h"
#include "analyzer/model/run_parts.h"
#include "analyzer/model/time_origins.h"
#include "analyzer/model/tree.h"
#include "analyzer/profile/profile.h"
#include "analyzer/read/children_rows.h"
#include "analyzer/read/counted_read.h"
#include "analyzer/read/ends_read.h"
#include "analyzer/read/entries.h"
#include "analyzer/read/heap_read.h"
#include "analyzer/read/machine_rows.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/read/open_calls.h"
#include "analyzer/read/process.h"
#include "analyzer/read/records_read.h"
#include "analyzer/read/samples_read.h"
#include "analyzer/read/time_namespaces.h"
#include "analyzer/runs/run.h"

#define DAMAGE_TOLD 3	/* as in logfile.c: damaged places of a log that were reported */

static struct model *model_new(void)
{
	struct model *model = xcalloc(1, sizeof(*model));

	model->tables = xcalloc(1, sizeof(*model->tables));
	functions_init(&model->tables->functions);
	tree_init(model);
	return model;
}

static void open_log(struct model *model, const char *path, uint32_t run)
{
	struct process *process;

	progress_set("opening log %zu", model->nr_processes + model->nr_monitors + model->nr_unreadable + 1);
	process = process_open(model, path);
	if (!process) {
		model->nr_unreadable++;
		return;
	}
	process->run = run;
	if (process->header.kind == LOG_OF_PROGRAMS) {
		APPEND(model->shared, model->nr_shared) = process;
	} else if (process->header.kind == LOG_OF_MONITOR) {
		APPEND(model->monitors, model->nr_monitors) = process;
	} else {
		APPEND(model->processes, model->nr_processes) = process;
		entries_read(model, process);
	}
	logfile_forget_all(process->log); /* of 10,000 logs, all that was touched is too much memory */
}

static void read_threads(struct process *process)
{
	process_read_threads(process);
	logfile_forget_all(process->log);
}

static void place_in_time(struct model *model)
{
	origins_set(model);
	for (size_t i = 0; i < model->nr_processes; i++)
		if (!model->processes[i]->parent)
			read_threads(model->processes[i]);
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->parent)
			read_threads(model->processes[i]);
	for (size_t i = 0; i < model->nr_monitors; i++)
		read_threads(model->monitors[i]);
}

static bool is_left_out(const struct process *process, uint32_t thread_ref)
{
	const struct thread *thread = nodes_thread(process, thread_ref);

	return thread && thread->left_out;
}

static void count_slices(struct process *process)
{
	const struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		uint64_t bytes = extent->used_bytes - sizeof(struct log_slices);
		struct log_slices head;

		if (extent->kind != LOG_AREA_SLICES || is_left_out(process, extent->owner) ||
		    !process->header.has_hooks)
			continue;
		memcpy(&head, log->base + extent->offset, sizeof(head));
		/* no slice is shorter */
		process->nr_slices += head.nr_slices < bytes / 3 ? head.nr_slices : bytes / 3;
	}
}

static void read_process(struct model *model, struct process *process)
{
	process_find_last(process);
	if (model->end < process->last)
		model->end = model->to = process->last;
	if (process->is_saved)
		return;
	counted_mark(process);
	nodes_read(process);
	counted_read(process);
	heaps_read(process);
	records_find_paths(process);
	samples_read(process);
	open_calls_read(process);
	count_slices(process);
	for (size_t i = 0; i < process->nr_threads; i++)
		process->calls += process->threads[i]->calls;
	process->nr_damaged = process->log->nr_damaged;
	logfile_forget_all(process->log);
	if (process->nr_damaged > DAMAGE_TOLD)
		warning("%s: damaged in %llu places; what is sound is reported", process->log->path,
			(unsigned long long)process->nr_damaged);
	model->nr_slices += process->nr_slices;
	model->log_bytes += process->header.kind == LOG_OF_PROGRAM ? process->log_bytes : 0;
	model->nr_damaged += process->nr_damaged;
}

/* insideme-run lives a little longer than what it ran: with the end of its last process the run has ended. */
static void read_monitor(struct model *model, struct process *monitor)
{
	const struct event *last = monitor->nr_events ? &monitor->events[monitor->nr_events - 1] : NULL;
	const int64_t before = model->end;

	read_process(model, monitor);
	if (last && last->kind == LOG_EVENT_PROCESS_END && monitor->end_kind != END_RUNNING)
		model->end = model->to = before > last->time ? before : last->time;
}

/* The heads of chunks count all calls, including those that are left out, and those that INSIDEME_LAST does
 * not keep. */
static void count_kept_slices(struct model *model)
{
	model->nr_slices = 0;
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];
		struct slice_reader *reader = slices_open_process(process);
		struct slice slice;

		process->nr_slices = 0;
		while (slices_next(reader, &slice))
			process->nr_slices++;
		model->nr_slices += process->nr_slices;
		slices_close(reader);
	}
}

static void add_run(struct model *model, const char *name)
{
	APPEND(model->run_names, model->nr_runs) = xstrdup(name);
}

static int open_saved(struct model *model, const char *path, struct profile **profile)
{
	uint32_t first = (uint32_t)model->nr_runs;

	progress_set("reading a saved profile");
	*profile = profile_open(path);
	if (!*profile)
		return -1;
	if (profile_is_part(*profile) && first) /* they are all of one run */
		return profile_add_processes(*profile, model, 0);
	for (size_t i = 0; i < profile_nr_runs(*profile); i++)
		add_run(model, profile_nr_runs(*profile) > 1 || profile_is_part(*profile)
				       ? profile_run_name(*profile, i)
				       : path);
	return profile_add_processes(*profile, model, first);
}

static int open_runs(struct model *model, const struct run *runs, size_t nr_runs)
{
	model->profiles = xcalloc(nr_runs, sizeof(*model->profiles));
	model->nr_profiles = nr_runs;
	for (size_t i = 0; i < nr_runs; i++) {
		uint32_t number = (uint32_t)model->nr_runs;

		if (runs[i].is_profile) {
			if (open_saved(model, runs[i].path, &model->profiles[i]) < 0)
				return -1;
			continue;
		}
		add_run(model, runs[i].path ? runs[i].path : "");
		for (size_t j = 0; j < runs[i].nr_logs; j++)
			open_log(model, runs[i].logs[j], number);
	}
	for (size_t i = 0; i < model->nr_shared; i++)
		entries_read(model, model->shared[i]);
	time_namespaces_join(model);
	children_rows_read(model);
	for (size_t i = 0; i < model->nr_processes; i++)
		process_join_memory_rows(model->processes[i]);
	return 0;
}

struct model *model_open(const struct run *runs, size_t nr_runs)
{
	struct model *model = model_new();

	if (open_runs(model, runs, nr_runs) < 0 || model->nr_processes + model->nr_monitors == 0) {
		model_free(model);
		return NULL;
	}
	place_in_time(model);
	lineage_find(model);
	ends_find(model);
	return model;
}

/* Each run has a file of its own beside its logs. */
static void read_names(struct model *model, const struct run *run)
{
	const char *last = "";

	for (size_t i = 0; i < run->nr_logs; i++) {
		const char *path = run->logs[i], *slash = strrchr(path, '/');
		size_t length = slash ? (size_t)(slash - path) + 1 : 0;
		char *names;

		if (i && strncmp(path, last, length) == 0 && !strchr(last + length, '/'))
			continue;
		last = path;
		names = xasprintf("%.*s" NAMES_FILE, (int)length, path);
		names_file_read(model, names);
		free(names);
	}
}

static void read_processes(struct model *model, uint32_t run)
{
	for (size_t i = 0; i < model->nr_processes; i++)
		if (model->processes[i]->run == run) {
			progress_set("reading process %zu of %zu", i + 1, model->nr_processes);
			read_process(model, model->processes[i]);
		}
}

/* Read one run after the other, so that each run's share of functions is known. */
static int read_runs(struct model *model, const struct run *runs, const struct filter *filter)
{
	struct parts parts = { 0 };
	uint32_t run = 0;

	for (size_t i = 0; i < model->nr_profiles; i++) {
		read_names(model, &runs[i]);
		if (model->profiles[i])
			profile_add_functions(model->profiles[i], model);
	}
	if (model->nr_runs > 1)
		versions_match(model);
	selection_read(model, filter);
	model->nr_parts = model->nr_runs;
	for (size_t i = 0; i < model->nr_profiles; i++) {
		size_t nr = model->profiles[i] ? profile_nr_runs(model->profiles[i]) : 1;

		if (model->profiles[i] && profile_is_part(model->profiles[i]))
			run = 0;
		for (size_t j = 0; j < nr; j++)
			read_processes(model, run + (uint32_t)j);
		if (model->profiles[i] && profile_add_tree(model->profiles[i], model) < 0) {
			parts_release(&parts);
			return -1;
		}
		if (nr > 1 && model->selection.is_on)	/* shares of calls that are left out are not known */
			model->nr_parts = 1;
		if (model->nr_runs > 1)
			parts_take(&parts, model, nr > 1 ? PARTS_KNOWN : run);
		if (nr > 1)
			profile_add_ranges(model->profiles[i], model);
		run += (uint32_t)nr;
	}
	parts_release(&parts);
	for (size_t i = 0; i < model->nr_monitors && !model->is_later_part; i++)
		read_monitor(model, model->monitors[i]);
	machine_rows_gather(model);
	for (size_t i = 0; i < model->nr_shared && !model->is_later_part; i++) {
		model->log_bytes += model->shared[i]->log_bytes;
		model->nr_damaged += model->shared[i]->log->nr_damaged;
	}
	return 0;
}

static int apply_filter(struct model *model, const struct filter *filter)
{
	for (size_t i = 0; i < model->nr_profiles; i++) {
		if (!model->profiles[i])
			continue;
		if (filter && filter_has_lists(filter))
			return error("a saved profile has sums only: "
				     "--rank, --process and --thread need logs");
		profile_set_ends(model->profiles[i]);
	}
	return filter_apply(filter, model);
}

static void forget_what_is_of_no_process(struct model *model)
{
	model->is_later_part = true;
	model->nr_unreadable = 0;
	model->calls_open_at_forks = 0;
}

struct model *model_load_runs(const struct run *runs, size_t nr_runs, const struct filter *filter)
{
	const bool is_later_part = filter && filter->part;
	/* the first part's reader opens the same logs */
	const bool were_hidden = messages_hide(is_later_part);
	struct model *model = model_open(runs, nr_runs);
	bool has_counted;

	messages_show(were_hidden);
	if (!model) {
		if (nr_runs > 1 || runs[0].nr_logs > 1)	/* for a single file, the line with the reason is
							 * enough */
			error("nothing to report: no log can be read");
		return NULL;
	}
	model->is_raw = filter && filter->is_raw;
	if (is_later_part)
		forget_what_is_of_no_process(model);
	if (apply_filter(model, filter) < 0) {
		model_free(model);
		return NULL;
	}
	model_number(model);
	if (read_runs(model, runs, filter) < 0) {
		model_free(model);
		return NULL;
	}
	if (model->selection.is_on || model_keeps_last_calls(model))
		count_kept_slices(model);
	samples_sum_up(model);
	tree_add_variances(model);
	has_counted = counted_calls_find(model);
	hook_costs_subtract(model);
	if (has_counted)
		counted_times_take(model);
	tree_sum_up(model);
	thread_times_fit(model);
	tree_hang_teams(model);
	return model;
}

struct model *model_load(char *const *paths, size_t nr_paths, const struct filter *filter)
{
	struct run run = { .logs = (char **)paths, .nr_logs = nr_paths };

	return model_load_runs(&run, 1, filter);
}

void model_free(struct model *model)
{
	if (!model)
		return;
	for (size_t i = 0; i < model->nr_processes; i++)
		process_close(model->processes[i]);
	for (size_t i = 0; i < model->nr_left_out; i++)
		process_close(model->left_out[i]);
	for (size_t i = 0; i < model->nr_monitors; i++)
		process_close(model->monitors[i]);
	for (size_t i = 0; i < model->nr_shared; i++)
		process_close(model->shared[i]);
	for (size_t i = 0; i < model->nr_unseen; i++)
		free(model->unseen[i].program);
	while (model->objects) {
		struct object *object = model->objects;

		model->objects = object->next;
		naming_release(object);
		free(object->path);
		free(object->copy_path);
		free(object);
	}
	for (size_t i = 0; i < model->nr_texts; i++)
		free(model->texts[i]);
	free(model->texts);
	for (size_t i = 0; i < model->nr_runs; i++)
		free(model->run_names[i]);
	free(model->run_names);
	free(model->run_starts_ns);
	free(model->ranges);
	free(model->outside_parts);
	free(model->path_used_ns);
	for (size_t i = 0; i < model->nr_profiles; i++)
		profile_close(model->profiles[i]);
	free(model->profiles);
	if (model->saved_ranks)
		rank_sums_release(model->saved_ranks);
	free(model->saved_ranks);
	free(model->processes);
	free(model->left_out);
	free(model->monitors);
	free(model->machines);
	free(model->shared);
	free(model->unseen);
	free(model->functions);
	free(model->heap_ages);
	lines_release(model);
	selection_release(model);
	tree_release(model);
	hashtable_release(&model->tables->edge_parts);
	functions_release(&model->tables->functions);
	free(model->tables);
	free(model);
}
