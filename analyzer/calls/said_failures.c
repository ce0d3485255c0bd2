/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Failures that the program reported, sorted so that those of a call are found. */
#include "analyzer/calls/said_failures.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/read/nodes_read.h"

/* Slices are exact to 8 ticks of the clock, marks to one. */
#define INEXACT_NS	10

static int compare(const struct failure *failure, const struct tree_node *node, const struct thread *thread,
		   int64_t time)
{
	if (failure->node->id != node->id)
		return failure->node->id < node->id ? -1 : 1;
	if (failure->mark->thread != thread)
		return failure->mark->thread < thread ? -1 : 1;
	return (failure->mark->time > time) - (failure->mark->time < time);
}

static int compare_failures(const void *a, const void *b)
{
	const struct failure *y = b;

	return compare(a, y->node, y->mark->thread, y->mark->time);
}

static void add(struct failures *failures, const struct process *process, const struct mark *mark)
{
	const struct tree_node *node;

	if (mark->kind != LOG_MARK_FAILURE || !mark->thread || mark->thread->left_out)
		return;
	node = nodes_path(mark->thread, mark->node);
	if (!node || !node->function)
		return;
	APPEND(failures->list, failures->nr) = (struct failure){ mark, process, node, false };
}

void failures_find(struct failures *failures, const struct model *model)
{
	*failures = (struct failures){ .nr = 0 };
	for (size_t i = 0; i < model->nr_processes; i++)
		for (size_t j = 0; model->processes[i]->said && j < model->processes[i]->said->nr_marks; j++)
			add(failures, model->processes[i], &model->processes[i]->said->marks[j]);
	if (failures->nr)
		qsort(failures->list, failures->nr, sizeof(*failures->list), compare_failures);
}

void failures_release(struct failures *failures)
{
	free(failures->list);
}

/* The first one at or after @time. */
static size_t find_first(const struct failures *failures, const struct tree_node *node,
			 const struct thread *thread, int64_t time)
{
	return PARTITION_POINT(i, failures->nr, compare(&failures->list[i], node, thread, time) < 0);
}

const struct mark *failures_take(struct failures *failures, const struct tree_node *node,
				 const struct thread *thread, int64_t start, int64_t end)
{
	const struct mark *first = NULL;

	for (size_t i = find_first(failures, node, thread, start - INEXACT_NS); i < failures->nr; i++) {
		struct failure *failure = &failures->list[i];

		if (failure->node != node || failure->mark->thread != thread ||
		    failure->mark->time > end + INEXACT_NS)
			break;
		failure->is_taken = true;
		first = first ?: failure->mark;
	}
	return first;
}
