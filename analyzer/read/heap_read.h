/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap counters of one log: checked, and added to the merged tree. */
#ifndef INSIDEME_HEAP_READ_H
#define INSIDEME_HEAP_READ_H

#include "analyzer/model/model.h"

/* After nodes_read(). Counters that cannot be true are left out and counted as damage. */
void heaps_read(struct process *process);

/* Call @visit for the counters of each record of a log again: those that are sound. The root stands for what is in no function. */
void heaps_each(struct process *process, void (*visit)(struct tree_node *, const struct heap_stats *, void *), void *context);

/* Are live blocks known, not only counts of allocations and frees? */
static inline bool heap_is_live(const struct process *process)
{
	return process->header.heap_bytes == LOG_HEAP_REQUESTED || process->header.heap_bytes == LOG_HEAP_SAMPLED;
}

/* From stacks of some allocations: what paths have are estimates, what threads and the process allocated and freed is not. */
static inline bool heap_is_sampled(const struct process *process)
{
	return process->header.heap_bytes == LOG_HEAP_SAMPLED;
}

/* Add the age of blocks that were not freed to that of a path's. */
void heap_age_add(struct model *model, struct tree_node *node, const struct heap_age *age);

#endif
