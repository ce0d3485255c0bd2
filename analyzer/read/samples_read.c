/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU samples of one log, added to the merged tree. */
#include "analyzer/read/samples_read.h"

#include <string.h>

#include "analyzer/log/logfile.h"
#include "analyzer/model/tree.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/nodes_read.h"
#include "analyzer/read/sampled_code.h"

static void add_sample(struct sampled_code *code, struct thread *thread, const struct log_sample *sample,
		       uint64_t offset)
{
	struct process *process = thread->process;
	struct tree_node *path = nodes_path(thread, sample->node);
	double ns = (double)process->header.sample_interval_ns * (1 + sample->missed);
	struct sample_stats one = { .missed = sample->missed };

	if (!path || sample->ticks > process->limit_ticks) {
		logfile_damaged(process->log, offset, "a CPU sample of no call path, or of no time");
		return;
	}
	if (sample->flags & LOG_SAMPLE_IN_HOOK) {
		one.in_hooks = 1;
		one.hooks_ns = ns;
		one.stubs_ns = sample->flags & LOG_SAMPLE_IN_STUB ? ns : 0;
	} else {
		path = sampled_code_path(code, thread, sample, path);
		one.nr = 1;
		one.ns = ns;
	}
	tree_add_samples(path, &one);
}

void samples_read(struct process *process)
{
	struct logfile *log = process->log;
	struct sampled_code code = { .process = process };

	for (size_t i = 0; i < log->nr_extents; i++) {
		const struct log_extent *extent = &log->extents[i];
		struct thread *thread = nodes_thread(process, extent->owner);
		uint64_t offset = extent->offset + sizeof(struct log_area), end = extent->offset + extent->used_bytes;

		if (extent->kind != LOG_AREA_SAMPLES || (thread && thread->left_out))
			continue;
		if (!thread) {
			logfile_damaged(log, extent->offset, "CPU samples of no thread");
			continue;
		}
		for (; offset + sizeof(struct log_sample) <= end; offset += sizeof(struct log_sample)) {
			struct log_sample sample;

			memcpy(&sample, log->base + offset, sizeof(sample));
			add_sample(&code, thread, &sample, offset);
		}
		logfile_forget(log, extent);
	}
	sampled_code_release(&code);
}

/* Samples of a function without hooks go to its innermost caller that has hooks. The hooks' paths stay as they are. */
static void charge_callers(struct model *model)
{
	for (struct tree_node *node = tree_next(model->root); node; node = tree_next(node)) {
		struct tree_node *caller = node;

		while (node->samples->nr && caller->function && !caller->function->is_called)
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
		struct sample_stats *of = node->samples->nr || node->samples->total_nr ? tree_samples(node) : NULL;

		if (!of)
			continue;
		of->total_nr += of->nr;
		of->total_ns += of->ns;
		if (node->parent) {
			tree_samples(node->parent)->total_nr += of->total_nr;
			tree_samples(node->parent)->total_ns += of->total_ns;
		}
	}
}

void samples_sum_up(struct model *model)
{
	bool has_calls = false, has_samples = model->root->samples->nr;

	for (size_t id = 1; id < model->nr_tree_nodes; id++) {
		const struct tree_node *node = tree_node(model, id);

		has_samples |= node->samples->nr || node->samples->total_nr;
		if (node->sum.calls)
			node->function->is_called = has_calls = true;
	}
	if (!has_samples)
		return;
	if (has_calls)
		charge_callers(model);
	add_totals(model);
	model->is_sampled = !has_calls && model->root->samples->total_nr;
}

double sample_share_error(uint64_t nr, uint64_t nr_all)
{
	double all = (double)nr_all, part = (double)nr / all;

	if (!nr_all)
		return NAN;
	return nr ? sqrt(part * (1 - part) / all) : 1 / all;	/* where none was seen one might have been */
}

/*
 * CPU time of the function itself: both estimates weighted by the inverse of their variances. What samples say is off by
 * their number. What hooks say is off by what a call costs, by the samples in them, for each call of the function and
 * each that it made; by what calls that were not timed leave open; and by how far it is from the samples, as it holds the
 * time that the thread waited. So long calls that do not wait are as they were timed, and samples decide on the others.
 */
static void judge(const struct model *model, struct function *function)
{
	const struct sample_stats *all = &model->samples, *samples = &function->samples;
	double sample_ns = (all->ns + all->hooks_ns) / (double)(all->nr + all->in_hooks);
	double cost_ns = all->hooks_ns / (double)model->calls;
	double doubt_ns = cost_ns * (double)(function->stats.calls + function->child_calls);
	double self_ns = fmax(function->stats.self_ns, 0), waited_ns = self_ns - samples->ns;
	double hooks_ns2 = doubt_ns * doubt_ns + waited_ns * waited_ns + function->stats.self_variance_ns2 + 1;
	double samples_ns2 = (double)(samples->nr + 1) * sample_ns * sample_ns;	/* none seen: one might have been */

	function->judged_ns = (self_ns / hooks_ns2 + samples->ns / samples_ns2) / (1 / hooks_ns2 + 1 / samples_ns2);
	function->judged_error_ns = sqrt(1 / (1 / hooks_ns2 + 1 / samples_ns2));
}

void samples_judge(struct model *model)
{
	bool known = model->samples.nr > 0 && model->calls > 0;

	for (size_t i = 0; i < model->nr_functions; i++) {
		struct function *function = model->functions[i];

		function->judged_ns = function->judged_error_ns = NAN;
		if (!known)
			continue;
		judge(model, function);
		model->judged_ns += function->judged_ns;
	}
}
