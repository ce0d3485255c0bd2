/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU samples of one log, added to the merged tree. */
#include "analyzer/read/samples_read.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/hashtable.h"
#include "analyzer/log/logfile.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/code_paths.h"
#include "analyzer/read/nodes_read.h"

/* Not below any recorded call: no recorded time contains that of counted functions there. */
static bool is_outside(const struct tree_node *path)
{
	while (path->function && path->function->is_counted)
		path = path->parent;
	return !path->function;
}

/* If the thread ran, the sample is one of its CPU time. */
static struct sample_stats sample_of_time(struct thread *thread, const struct log_sample *sample, double ns)
{
	switch (log_sample_state(sample->flags)) {
	case LOG_SAMPLE_RUNNING:
		thread->on_cpu_ns += ns;
		return (struct sample_stats){ .nr = sample->missed + 1u, .ns = ns };
	case LOG_SAMPLE_READY:
		thread->ready_ns += ns;
		return (struct sample_stats){ .ready_ns = ns };
	default:
		thread->waiting_ns += ns;
		return (struct sample_stats){ .waiting_ns = ns };
	}
}

static bool is_same(const void *item, const void *key)
{
	const struct thread_samples *a = item, *b = key;

	return a->thread == b->thread && a->path == b->path;
}

static void add_to_thread(struct hashtable *by_thread, const struct thread *thread, struct tree_node *path,
			  double ns)
{
	const struct thread_samples key = { thread, path, ns };
	const uint64_t hash = hash_pair(thread->index, path->id);
	struct thread_samples *known = hashtable_find(by_thread, hash, is_same, &key);

	if (known) {
		known->ns += ns;
		return;
	}
	known = xcalloc(1, sizeof(*known));
	*known = key;
	hashtable_add(by_thread, hash, known);
}

/* @context: CPU samples by thread and path are added to it; NULL: nobody asks for them */
static void add_sample(struct thread *thread, const struct log_sample *sample, uint64_t offset, void *context)
{
	struct process *process = thread->process;
	struct tree_node *path = nodes_path(thread, sample->node);
	double ns = sample_ns(process, sample);
	struct sample_stats one = { .nr = 0 };

	if (!path || sample->ticks > process->limit_ticks) {
		logfile_damaged(process->log, offset, "a CPU sample of no call path, or of no time");
		return;
	}
	one.missed = process->header.samples_are_of_time ? 0 : sample->missed;
	if (process->header.samples_are_of_time) {
		path = sampled_code_path(thread, sample, path);
		one = sample_of_time(thread, sample, ns);
	} else if (sample->flags & LOG_SAMPLE_IN_HOOK) {
		one.in_hooks = 1;
		one.hooks_ns = ns;
		one.stubs_ns = sample->flags & LOG_SAMPLE_IN_STUB ? ns : 0;
		thread->hooks_ns += path->function ? one.stubs_ns : 0;
	} else {
		path = sampled_code_path(thread, sample, path);
		one.nr = 1;
		one.ns = ns;
		one.kernel_ns = ns * log_sample_kernel_percent(sample->flags) / 100;
		thread->outside_ns += path->function && is_outside(path) ? ns : 0;
	}
	tree_add_samples(path, &one);
	if (context && one.nr)
		add_to_thread(context, thread, path, ns);
}

void samples_each(struct process *process, samples_visit *visit, void *context)
{
	struct logfile *log = process->log;

	for (size_t i = 0; i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		struct thread *thread = nodes_thread(process, extent->owner);
		uint64_t offset = extent->offset + sizeof(struct log_area),
			 end = extent->offset + extent->used_bytes;

		if (extent->kind != LOG_AREA_SAMPLES || !thread || thread->left_out)
			continue;
		for (; offset + sizeof(struct log_sample) <= end; offset += sizeof(struct log_sample)) {
			struct log_sample sample;

			memcpy(&sample, log->base + offset, sizeof(sample));
			visit(thread, &sample, offset, context);
		}
		logfile_forget(log, extent);
	}
}

void samples_read(struct process *process)
{
	struct logfile *log = process->log;
	struct hashtable by_thread = { 0 };
	const struct thread_samples *of;
	size_t at = 0;

	for (size_t i = 0; i < log->nr_extents; i++)
		if (log->extents[i].kind == LOG_AREA_SAMPLES && !nodes_thread(process, log->extents[i].owner))
			logfile_damaged(log, log->extents[i].offset, "CPU samples of no thread");
	samples_each(process, add_sample, process->nr_counted ? &by_thread : NULL);
	while ((of = hashtable_next(&by_thread, &at)))
		APPEND(process->thread_samples, process->nr_thread_samples) = *of;
	hashtable_release(&by_thread);
	for (size_t i = 0; i < process->nr_threads; i++)
		process->threads[i]->functions_ns += fmax(process->threads[i]->outside_ns, 0);
}

/*
 * Samples of a function without hooks go to its innermost caller that has hooks. Samples within hooks stay on
 * their paths.
 */
static void charge_callers(struct model *model, const bool *is_called)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		struct tree_node *caller = node;

		while (node->samples->nr && caller->function && !is_called[caller->function->number])
			caller = caller->parent;
		if (caller == node)
			continue;
		tree_add_samples(caller, node->samples);
		*tree_samples(node) = (struct sample_stats){ 0 };
	}
}

/* Callers have lower ids than what they call. */
static void add_totals(struct model *model)
{
	for (size_t id = model->nr_tree_nodes; id-- > 0;) {
		struct tree_node *node = tree_node(model, id);
		struct sample_stats *of = sample_stats_exist(node->samples) ? tree_samples(node) : NULL;
		struct sample_stats *above = of && node->parent ? tree_samples(node->parent) : NULL;

		if (!of)
			continue;
		of->total_nr += of->nr;
		of->total_ns += of->ns;
		of->total_kernel_ns += of->kernel_ns;
		of->total_waiting_ns += of->waiting_ns;
		of->total_ready_ns += of->ready_ns;
		if (above) {
			above->total_nr += of->total_nr;
			above->total_ns += of->total_ns;
			above->total_kernel_ns += of->total_kernel_ns;
			above->total_waiting_ns += of->total_waiting_ns;
			above->total_ready_ns += of->total_ready_ns;
		}
	}
}

void samples_sum_up(struct model *model)
{
	/* [number]: by hooks */
	bool *is_called = xcalloc(functions_count(&model->tables->functions), sizeof(*is_called));
	bool has_calls = false, has_samples = sample_stats_exist(model->root->samples);

	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		const struct tree_node *node = tree_node(model, id);

		has_samples |= sample_stats_exist(node->samples);
		if (node->sum.calls)
			is_called[node->function->number] = has_calls = true;
	}
	if (has_samples && has_calls)
		charge_callers(model, is_called);
	if (has_samples)
		add_totals(model);
	model->is_sampled = has_samples && !has_calls && sample_stats_exist(model->root->samples);
	free(is_called);
}

double sample_share_error(uint64_t nr, uint64_t nr_all)
{
	double all = (double)nr_all, part = (double)nr / all;

	if (!nr_all)
		return NAN;
	return nr ? sqrt(part * (1 - part) / all) : 1 / all;	/* if none was seen, one might have been */
}
