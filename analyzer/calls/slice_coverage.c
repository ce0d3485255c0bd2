/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the threads' time single calls cover. Calls lie within each other. Only outermost ones are
 * added up: calls with nothing around them that could have a slice, because nothing recorded called them, or
 * their callers never ended.
 */
#include "analyzer/calls/slice_coverage.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/slices.h"
#include "analyzer/model/tree_walk.h"

static double overlap_ns(const struct model *model, int64_t begin, int64_t end)
{
	if (begin < model->from)
		begin = model->from;
	if (end > model->to)
		end = model->to;
	return end > begin ? (double)(end - begin) : 0;
}

/* [id of a node]: no call of a path above it has ended. */
static bool *find_outermost(struct tree_node *root, size_t nr_nodes)
{
	bool *outermost = xcalloc(nr_nodes + 1, sizeof(*outermost));

	outermost[root->id] = true;
	for (struct tree_node *node = tree_next(root); node; node = tree_next(node))
		outermost[node->id] = node->starter ||
				      (outermost[node->parent->id] &&
				       node->parent->sum.calls == node->parent->rare->open_calls);
	return outermost;
}

static int64_t begin_of(const struct thread *thread)
{
	return thread->begin == NO_TIME ? thread->process->start : thread->begin;
}

static int64_t end_of(const struct thread *thread)
{
	return thread->end == NO_TIME ? thread->process->last : thread->end;
}

double thread_lived_ns(const struct thread *thread)
{
	return fmax((double)(end_of(thread) - begin_of(thread)) - thread->unused_ns, 0);
}

/*
 * If several threads shared a record, it is not known when each lived: any time within the record's is
 * equally likely.
 */
static double threads_ns(const struct model *model)
{
	double sum = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_threads; j++) {
			const struct thread *thread = process->threads[j];
			double ns = overlap_ns(model, begin_of(thread), end_of(thread));

			if (!thread->left_out && ns > 0)
				sum += ns * thread_lived_ns(thread) /
				       (double)(end_of(thread) - begin_of(thread));
		}
	}
	return sum;
}

static double outermost_ns(struct process *process, const bool *outermost)
{
	struct slice_reader *reader = slices_open_process(process);
	double sum = 0;
	struct slice slice;

	slices_seek(reader, process->model->from);
	while (slices_next(reader, &slice))
		if (outermost[slice.node->id])
			sum += overlap_ns(process->model, slice.start, slice.end);
	slices_close(reader);
	return sum;
}

double coverage_percent(struct model *model)
{
	bool *outermost = find_outermost(model->root, model->nr_tree_nodes);
	double all_ns = threads_ns(model), sum = 0;

	for (size_t i = 0; i < model->nr_processes; i++)
		sum += outermost_ns(model->processes[i], outermost);
	free(outermost);
	return all_ns > 0 ? fmin(100 * sum / all_ns, 100) : NAN;
}
