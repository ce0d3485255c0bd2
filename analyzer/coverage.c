/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of the threads' time single calls tell of. Calls lie within each other; those are added up that nothing
 * else lies around that could have a slice: called by nothing recorded, or by what never came to an end.
 */
#include "coverage.h"

#include <stdlib.h>

#include "error.h"
#include "slices.h"
#include "walk.h"

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
		outermost[node->id] = outermost[node->parent->id] &&
			node->parent->stats.calls == node->parent->stats.open_calls;
	return outermost;
}

static double threads_ns(const struct model *model)
{
	double sum = 0;

	for (size_t i = 0; i < model->nr_processes; i++) {
		const struct process *process = model->processes[i];

		for (size_t j = 0; j < process->nr_threads; j++) {
			const struct thread *thread = process->threads[j];

			if (!thread->left_out)
				sum += overlap_ns(model, thread->begin == NO_TIME ? process->start : thread->begin,
						  thread->end == NO_TIME ? process->last : thread->end);
		}
	}
	return sum;
}

double coverage_percent(struct model *model)
{
	bool *outermost = find_outermost(model->root, model->nr_tree_nodes);
	struct slice_reader *reader = slices_open_all(model);
	double all_ns = threads_ns(model), sum = 0;
	struct slice slice;

	slices_seek(reader, model->from);
	while (slices_next(reader, &slice))
		if (outermost[slice.node->id])
			sum += overlap_ns(model, slice.start, slice.end);
	slices_close(reader);
	free(outermost);
	return all_ns > 0 ? fmin(100 * sum / all_ns, 100) : NAN;
}
