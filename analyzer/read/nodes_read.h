/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes of one log: checked, and added to the merged tree. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Add all nodes of a log to the merged tree. The log's process, threads, modules, events and times must be
 * known. Counters that cannot be true are skipped and count as damage. Calls whose path is damaged go under
 * "(other paths)".
 */
void nodes_read(struct process *process);

/* Call @visit for the function of each node, with its address as in the log. */
void nodes_each_function(struct process *process,
			 void (*visit)(struct process *, uint64_t function_addr, void *), void *context);

/* A sound node of a log: the calls of one call path in one thread. */
struct node_fact {
	uint32_t index;			/* of the node in its log */
	struct thread *thread;
	int64_t parent;			/* index of its caller's node, which is smaller; -1: not known */
	struct call_stats stats;	/* as recorded, with the cost of hooks */
};
typedef void nodes_visit(const struct node_fact *fact, void *context);

/* Call @visit for each sound node again, after nodes_read(). */
void nodes_each(struct process *process, nodes_visit *visit, void *context);

/*
 * Is a node with this function left out of the tree? So are library calls that wait in a process without
 * hooks: the functions that made them are not known, and among those of other processes they would hide them.
 */
bool nodes_is_beside(const struct process *process, uint64_t function_addr);

/*
 * The merged path of the node at @index. If its calls are left out: the path that they are counted for. NULL:
 * the node is blank.
 */
struct tree_node *nodes_place(const struct process *process, uint32_t index, bool *left_out);

/*
 * The merged path of a node of @thread. NULL: @ref is no node. If its calls are left out: the path that they
 * are counted for.
 */
struct tree_node *nodes_path(struct thread *thread, uint32_t ref);

/* Are the calls of a node left out of the report, see selection.h? */
bool nodes_is_left_out(const struct process *process, uint32_t ref);

/*
 * Is the newest call of a node already in its number of calls, but not yet in its histogram? The program was
 * stopped between the two; the frame of the call still exists.
 */
bool nodes_is_half_counted(struct thread *thread, uint32_t ref);

/* The thread whose area is at @ref, or NULL. */
struct thread *nodes_thread(const struct process *process, uint32_t ref);
