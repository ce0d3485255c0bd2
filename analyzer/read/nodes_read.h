/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nodes of one log: checked, and added to the merged tree. */
#ifndef INSIDEME_NODES_READ_H
#define INSIDEME_NODES_READ_H

#include "analyzer/model/model.h"

/*
 * Add all nodes of a log to the merged tree. The log's process, threads, modules, events and times must be known. Counters
 * that cannot be true are left out and counted as damage. Calls whose path is damaged go under "(other paths)".
 */
void nodes_read(struct process *process);

/* Call @visit for the function of every node of a log, as the log has it. */
void nodes_each_function(struct process *process, void (*visit)(struct process *, uint64_t function_addr, void *),
			 void *context);

/* A node of a log that says something sound: what one thread has of one call path. */
struct node_fact {
	uint32_t index;			/* of the node in its log */
	int64_t parent;			/* of its caller's, which is smaller; -1: not known */
	struct call_stats stats;	/* as recorded, with what the hooks cost */
};
typedef void nodes_visit(const struct node_fact *fact, void *context);

/* Call @visit for each of them again, once nodes_read() is done. */
void nodes_each(struct process *process, nodes_visit *visit, void *context);

/* The merged path of the node at @index, or what its calls stand for if they are left out. NULL: the node is blank. */
struct tree_node *nodes_place(const struct process *process, uint32_t index, bool *left_out);

/* The merged path of a node of @thread, or NULL if @ref is none. Of calls that are left out it is what they stand for. */
struct tree_node *nodes_path(struct thread *thread, uint32_t ref);

/* Are the calls of a node not reported, see selection.h? */
bool nodes_is_left_out(const struct process *process, uint32_t ref);

/*
 * Is the newest call of a node in its number of calls but not yet in its histogram? The program was stopped
 * in between; the call's frame is still there.
 */
bool nodes_is_half_counted(struct thread *thread, uint32_t ref);

/* The thread whose area is at @ref, or NULL. */
struct thread *nodes_thread(const struct process *process, uint32_t ref);

#endif
