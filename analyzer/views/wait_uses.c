/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By the single calls of threads, and what the kernel says of the threads' times meanwhile. */
#include "analyzer/views/wait_uses.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/calls/slices.h"
#include "analyzer/calls/thread_curves.h"
#include "analyzer/calls/wait_curve.h"
#include "analyzer/log/logfile.h"

#define WIDEST 0.1 /* of the calls' time: bounds that are further apart say nothing */

/* Calls of a node that have a record of their own. */
struct node_use {
	double recorded_ns, blocked_ns, doubt_ns;	/* the last two NAN: not known */
	double open_ns;					/* of all that were open at the end */
};

struct wait_uses {
	struct process *process;
	struct node_use *nodes;		/* [index of a node] */
	struct thread_use *threads;	/* [index of a thread] */
	bool *is_open;			/* likewise: are its curves read? */
};

static struct thread_use *use_of(struct wait_uses *uses, struct thread *thread, uint32_t tid)
{
	struct thread_use *use = &uses->threads[thread->index];
	bool *is_open = &uses->is_open[thread->index];

	if (*is_open && use->tid == tid)
		return use;
	if (*is_open)
		thread_use_close(use);
	thread_times_open(use, thread, tid);
	*is_open = true;
	return use;
}

static void add(struct wait_uses *uses, struct thread *thread, uint32_t tid, uint32_t ref, int64_t from,
		int64_t to)
{
	const int64_t index = logfile_node_index(uses->process->log, ref);
	struct span_times times;

	if (index < 0)
		return;
	thread_times_between(use_of(uses, thread, tid), from, to, &times);
	uses->nodes[index].recorded_ns += (double)(to - from);
	uses->nodes[index].blocked_ns += times.blocked_ns;
	uses->nodes[index].doubt_ns += times.doubt_ns;
}

struct wait_uses *wait_uses_open(struct process *process)
{
	struct wait_uses *uses = xcalloc(1, sizeof(*uses));
	struct slice_reader *reader = slices_open_waits(process, NULL);
	struct slice slice;

	uses->process = process;
	uses->nodes = xcalloc(process->log->nr_nodes + 1, sizeof(*uses->nodes));
	uses->threads = xcalloc(process->nr_threads + 1, sizeof(*uses->threads));
	uses->is_open = xcalloc(process->nr_threads + 1, sizeof(*uses->is_open));
	while (slices_next(reader, &slice))
		add(uses, slice.thread, slice.tid, slice.ref, slice.start, slice.end);
	slices_close(reader);
	return uses;
}

void wait_uses_close(struct wait_uses *uses)
{
	for (size_t i = 0; uses && i < uses->process->nr_threads; i++)
		if (uses->is_open[i])
			thread_use_close(&uses->threads[i]);
	if (!uses)
		return;
	free(uses->nodes);
	free(uses->threads);
	free(uses->is_open);
	free(uses);
}

void wait_uses_add_open(struct wait_uses *uses, struct thread *thread, uint32_t ref, double so_far_ns)
{
	const int64_t index = logfile_node_index(uses->process->log, ref), last = uses->process->last;

	if (index < 0)
		return;
	uses->nodes[index].open_ns += so_far_ns;
	add(uses, thread, thread->tid, ref, last - (int64_t)so_far_ns, last);
}

double wait_uses_share(const struct wait_uses *uses, uint32_t ref, enum log_wait_kind kind, double part_ns)
{
	const struct process *process = uses->process;
	const int64_t index = logfile_node_index(process->log, ref);
	const struct node_use *use = index < 0 ? NULL : &uses->nodes[index];
	double all_ns, other_ns, least_ns, most_ns;
	struct log_node node;

	if (!use || !(part_ns > 0))
		return NAN;
	logfile_node(process->log, (uint64_t)ref << LOG_REF_SHIFT, &node);
	all_ns = (double)(node.total_ticks - node.child_ticks) * process->tick_ns + use->open_ns;
	all_ns = fmax(fmax(all_ns, use->recorded_ns), part_ns);
	other_ns = all_ns - use->recorded_ns;
	if (wait_is_blocked_throughout(kind))
		return isnan(use->blocked_ns) ? 1 : fmin((use->blocked_ns + other_ns) / all_ns, 1);
	least_ns = fmax(use->blocked_ns - use->doubt_ns - (all_ns - part_ns), 0);
	most_ns = fmin(use->blocked_ns + use->doubt_ns + other_ns, part_ns);
	return most_ns - least_ns <= WIDEST * part_ns && !isnan(use->blocked_ns)
		       ? (least_ns + most_ns) / 2 / part_ns
		       : NAN;
}
