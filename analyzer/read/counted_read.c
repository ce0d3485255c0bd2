/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/read/counted_read.h"

#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/functions.h"
#include "analyzer/model/hook_costs.h"
#include "analyzer/model/selection.h"
#include "analyzer/model/tree.h"
#include "analyzer/read/code_paths.h"
#include "analyzer/read/nodes_read.h"

static const struct log_site *find_site(const struct process *process, uint32_t number)
{
	if (number < process->nr_sites && process->sites[number].number == number) /* the usual case */
		return &process->sites[number];
	for (size_t i = 0; i < process->nr_sites; i++)
		if (process->sites[i].number == number)
			return &process->sites[i];
	return NULL;
}

/* The function that a record refers to. */
static struct function *function_then(struct process *process, uint64_t function_addr, uint64_t ticks)
{
	return function_find(&process->model->tables->functions, process,
			     function_retired(process, function_addr, ticks));
}

static void add_calls(struct thread *thread, const struct log_site *site, uint64_t calls)
{
	struct process *process = thread->process;
	struct model *model = process->model;
	struct function *function = function_then(process, site->function_addr, site->record.ticks);
	struct call_stats stats = NO_CALLS;
	struct tree_node *path;

	stats.calls = stats.counted_calls = stats.known_calls = calls;
	stats.around_ns = (double)calls * hook_costs_around_ns(process);
	if (!selection_keeps(model, model->root, function)) {
		model->selection.outside_calls += calls;
		model->selection.counted_around_ns += stats.around_ns;
		return;
	}
	path = tree_child(model, tree_counted(model), function);
	tree_add_calls(path, &stats);
	process->counted_sums =
		xgrow(process->counted_sums, process->nr_counted_sums, sizeof(*process->counted_sums));
	process->counted_sums[process->nr_counted_sums++] =
		(struct counted_sum){ .path = path, .calls = calls, .site = site };
	thread->calls += calls;
}

/* Word @i of the calls that are not to be counted, in an area beside the counters. */
static uint64_t uncounted(const struct process *process, const struct log_area *counters, uint32_t i)
{
	uint64_t offset = (uint64_t)counters->beside << LOG_REF_SHIFT, calls;
	const struct log_extent *extent =
		counters->beside ? logfile_find(process->log, offset, sizeof(struct log_area)) : NULL;

	offset += sizeof(struct log_area) + i * sizeof(calls);
	if (!extent || extent->kind != LOG_AREA_UNCOUNTED ||
	    offset + sizeof(calls) > extent->offset + extent->used_bytes)
		return 0;
	memcpy(&calls, process->log->base + offset, sizeof(calls));
	return calls;
}

static void read_counters(struct thread *thread, const struct log_extent *extent)
{
	struct process *process = thread->process;
	const bool is_off = process->header.off_since_ticks;
	uint64_t offset = extent->offset + sizeof(struct log_area), calls;
	struct log_area head;

	memcpy(&head, process->log->base + extent->offset, sizeof(head));
	for (uint32_t i = 0;
	     i < LOG_COUNTERS && offset + sizeof(calls) <= extent->offset + extent->used_bytes; i++) {
		const struct log_site *site;

		memcpy(&calls, process->log->base + offset, sizeof(calls));
		calls = (is_off ? 0 : calls) - uncounted(process, &head, i);
		site = calls ? find_site(process, i) : NULL;
		if (calls && (!site || calls > process_most_calls(process)))
			logfile_damaged(process->log, offset,
					"a counter of no call site, or of more calls than can be");
		else if (site)
			add_calls(thread, site, calls);
		offset += sizeof(calls);
	}
}

void counted_mark(struct process *process)
{
	for (size_t i = 0; i < process->nr_counted; i++) {
		const struct log_counted *counted = &process->counted[i];

		function_then(process, counted->function_addr, counted->record.ticks)->is_counted = true;
	}
}

void counted_read(struct process *process)
{
	const struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		struct thread *thread;

		if (log->extents[i].kind != LOG_AREA_COUNTERS)
			continue;
		thread = nodes_thread(process, log->extents[i].owner);
		if (!thread)
			logfile_damaged(process->log, log->extents[i].offset, "counters of no thread");
		else if (!thread->left_out)
			read_counters(thread, &log->extents[i]);
	}
}

/* The function that the site's copy was inlined in, or the next one around that which is reported. */
static struct function *find_caller(struct process *process, const struct counted_sum *sum)
{
	const struct code_place *place =
		code_place_at(process, sum->site->place_addr - 1, sum->site->record.ticks);

	if (!place || place->levels[place->nr - 1].function != sum->path->function)
		return NULL;
	for (size_t i = place->nr - 1; i-- > 0;)
		if (place->levels[i].function && place->levels[i].function->stats.calls)
			return place->levels[i].function;
	return NULL;
}

void counted_callers_read(struct model *model)
{
	for (size_t i = 0; i < model->nr_processes; i++) {
		struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_counted_sums; j++)
			process->counted_sums[j].caller = find_caller(process, &process->counted_sums[j]);
	}
}
