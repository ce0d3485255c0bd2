/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that timing auto counted at their call sites: a counter for each site and thread. */
#ifndef INSIDEME_COUNTED_READ_H
#define INSIDEME_COUNTED_READ_H

#include "analyzer/model/model.h"

/* Say of functions that they are counted. Before nodes_read(). */
void counted_mark(struct process *process);

/*
 * Add the counters of a process's threads to the merged tree, beneath "(counted calls)": who called is not
 * known. After nodes_read().
 */
void counted_read(struct process *process);

/* Calls of one function that call sites of a process counted, and where they stand in the tree. */
struct counted_sum {
	struct tree_node *path;
	uint64_t calls;
};

#endif
