/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that timing auto counted at their call sites: one counter for each site and thread. */
#pragma once

#include "analyzer/model/model.h"

/* Mark the functions that were counted. Before nodes_read(). */
void counted_mark(struct process *process);

/*
 * Add the counters of a process's threads to the merged tree, below "(counted calls)", since their callers
 * are not known. After nodes_read().
 */
void counted_read(struct process *process);

/*
 * Find the callers of calls that were counted in inlined copies, by debug information. After functions are
 * summed up, and before edges_init().
 */
void counted_callers_read(struct model *model);
