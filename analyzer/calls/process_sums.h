/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The share of each process in each call path. The model has sums over processes, so their counters are read
 * once more. Saved processes have none.
 */
#pragma once

#include "analyzer/model/model.h"

struct process_sum {
	struct tree_node *path;		/* the root: only its heap, outside of all functions */
	const struct thread *thread;	/* NULL: not known, as of calls that call sites counted */
	struct call_stats stats;	/* calls: all, open, timed and known; times: self, total and open;
					 * without the hooks' cost */
	struct heap_stats heap;
};

typedef void process_sums_visit(const struct process_sum *sum, void *context);

/* Call @visit for parts of the sums of @process, several times for a path. */
void process_sums_each(struct process *process, process_sums_visit *visit, void *context);
