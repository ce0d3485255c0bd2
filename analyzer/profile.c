/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A saved profile becomes part of a model: processes without logs, names, functions, call paths. */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "functions.h"
#include "naming.h"
#include "parts.h"
#include "process.h"
#include "profile_data.h"
#include "heaps.h"
#include "tree.h"

size_t profile_nr_runs(const struct profile *profile)
{
	return profile->nr_runs;
}

const char *profile_run_name(const struct profile *profile, size_t run)
{
	return json_string_value(json_array_get(json_object_get(profile->root, "runs"), run)) ?: "";
}

/* A log without areas that says what is known of the process. */
static struct process *open_image(struct profile *profile, struct model *model, const struct process *saved)
{
	uint8_t *image = xcalloc(1, LOG_HEADER_BYTES);
	struct log_header header = saved->header;
	uint64_t lasted_ns = header.finish.realtime_ns - header.start.realtime_ns;

	header.magic = LOG_MAGIC;
	header.version = LOG_VERSION;
	header.kind = LOG_OF_PROGRAM;
	header.clock = LOG_CLOCK_MONOTONIC;
	header.header_bytes = LOG_HEADER_BYTES;
	header.file_bytes = header.tail_bytes = header.map_bytes = LOG_HEADER_BYTES;
	header.start.ticks = header.start.monotonic_ns;
	lasted_ns = lasted_ns ? lasted_ns : 1;
	header.finish = (struct log_clocks){ header.start.ticks + lasted_ns, header.start.monotonic_ns + lasted_ns,
					     header.start.realtime_ns + lasted_ns };
	header.end = saved->end_kind == END_EXEC ? LOG_RUNNING : LOG_EXITED;
	header.start_cost_ns = LOG_NONE;
	memcpy(image, &header, sizeof(header));
	return process_open_image(model, profile->path, image, LOG_HEADER_BYTES);
}

int profile_add_processes(struct profile *profile, struct model *model, uint32_t run)
{
	profile->first_run = run;
	for (size_t i = 0; i < profile->nr_processes; i++) {
		const struct process *saved = &profile->processes[i];
		struct process *process = open_image(profile, model, saved);

		if (!process)
			return -1;
		process->is_saved = true;
		process->run = run + saved->run;
		process->log_bytes = 0;
		profile->added[i] = process;
		model->processes = xgrow(model->processes, model->nr_processes, sizeof(process));
		model->processes[model->nr_processes++] = process;
	}
	return 0;
}

/* Its threads are one record, which is not more than a number. */
static void set_thread(struct process *process, const struct process *saved)
{
	struct thread *thread = xcalloc(1, sizeof(*thread));

	thread->process = process;
	thread->nr_threads = saved->header.nr_threads ? saved->header.nr_threads : 1;
	thread->tid = process->header.pid;
	thread->begin = process->start;
	thread->end = NO_TIME;
	thread->calls = saved->calls;
	thread->functions_ns = saved->functions_ns;
	thread->heap = saved->heap;
	process->threads = xgrow(process->threads, process->nr_threads, sizeof(thread));
	process->threads[process->nr_threads++] = thread;
}

void profile_set_ends(struct profile *profile)
{
	for (size_t i = 0; i < profile->nr_processes; i++) {
		const struct process *saved = &profile->processes[i];
		struct process *process = profile->added[i];

		process->end_kind = saved->end_kind;
		process->end_status = saved->end_status;
		process->command = saved->command;
		process->exe = saved->exe;
		process->cwd = saved->cwd;
		process->has_usage = saved->user_ns != LOG_NONE && saved->system_ns != LOG_NONE;
		process->user_ns = process->has_usage ? saved->user_ns : 0;
		process->system_ns = process->has_usage ? saved->system_ns : 0;
		process->peak_rss_bytes = saved->peak_rss_bytes;
		process->calls = saved->calls;
		process->functions_ns = saved->functions_ns;
		process->heap = saved->heap;
		memcpy(process->heap_sizes, saved->heap_sizes, sizeof(process->heap_sizes));
		process->heap_peak_bytes = saved->heap_peak_bytes;
		process->heap_peak = NO_TIME;
		set_thread(process, saved);
	}
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
		else if (json_is_true(json_object_get(function->json, "region")))
			function->function = function_of_region(&model->tables->functions, profile->added[0], name.name ?: "");
		else
			function->function = function_at(&model->tables->functions, object, profile->added[0], name.addr);
		profile->list[i] = function->function;
	}
}

struct function **profile_functions(const struct profile *profile, size_t *nr)
{
	*nr = profile->nr_functions;
	return profile->list;
}

static void add_parts(const struct profile *profile, const struct model *model, const struct saved_function *saved)
{
	struct function *function = saved->function;

	if (!saved->parts || model->nr_runs < 2)
		return;
	if (!function->parts)
		function->parts = xcalloc(model->nr_runs, sizeof(*function->parts));
	for (size_t i = 0; i < profile->nr_runs; i++) {
		struct run_part *part = &function->parts[profile->first_run + i];

		part->calls += saved->parts[i].calls;
		part->self_ns += saved->parts[i].self_ns;
		part->total_ns += saved->parts[i].total_ns;
	}
}

void profile_add_tree(struct profile *profile, struct model *model)
{
	for (size_t i = 0; i < profile->nr_functions; i++) {
		struct saved_function *saved = &profile->functions[i];

		saved->function = saved->function->same ? saved->function->same : saved->function;
		if (saved->histogram.unit_ns > 0)
			histogram_add(&saved->function->histogram, saved->histogram.counts, saved->histogram.unit_ns);
		if (profile->nr_runs > 1)
			add_parts(profile, model, saved);
	}
	for (size_t i = 0; i < profile->nr_paths; i++) {
		struct saved_path *path = &profile->paths[i];
		struct tree_node *parent = path->parent < 0 ? model->root : profile->paths[path->parent].node;

		path->node = tree_child(model, parent, profile->functions[path->function].function);
		call_stats_add(&path->node->stats, &path->counters.stats);
		call_stats_add_total(&path->node->stats, &path->counters.stats);
		heap_stats_add(&path->node->heap, &path->counters.heap);
		if (path->has_age)
			heap_age_add(model, path->node, &path->age);
		path->node->nr_threads += path->counters.nr_threads;
	}
	heap_stats_add(&model->root->heap, &profile->outside.heap);
}

void profile_add_ranges(const struct profile *profile, struct model *model)
{
	for (size_t i = 0; i < profile->nr_paths; i++)
		parts_add_range(&model->ranges[profile->paths[i].node->id], &profile->paths[i].range);
}
