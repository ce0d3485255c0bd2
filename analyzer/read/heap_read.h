/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap counters of one log: checked, and added to the merged tree. */
#pragma once

#include "analyzer/model/model.h"

/* After nodes_read(). Counters that cannot be true are skipped and count as damage. */
void heaps_read(struct process *process);

/*
 * Call @visit again for the counters of each sound record of a log, which is @heap. The root stands for
 * everything outside of functions.
 */
typedef void heaps_visit(struct tree_node *path, const struct heap_stats *stats, const struct log_heap *heap,
			 void *context);
void heaps_each(struct process *process, heaps_visit *visit, void *context);

/* Are live blocks known, not only counts of allocations and frees? */
static inline bool heap_is_live(const struct process *process)
{
	return process->header.heap_bytes == LOG_HEAP_REQUESTED ||
	       process->header.heap_bytes == LOG_HEAP_SAMPLED;
}

/*
 * Were stacks of some allocations sampled? Then the numbers of paths are estimates; those of threads and the
 * process are exact.
 */
static inline bool heap_is_sampled(const struct process *process)
{
	return process->header.heap_bytes == LOG_HEAP_SAMPLED;
}

/* Add the age of blocks that were not freed to the path. */
void heap_age_add(struct model *model, struct tree_node *node, const struct heap_age *age);
