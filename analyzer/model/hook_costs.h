/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Subtracts the recorder's own cost from times. The recorded time of a path contains, for each of its calls,
 * the cost of the call's two hooks between their readings of the clock (inside), and the whole cost of the
 * hooks of all calls below it (full). So
 *	true total = total - inside of its calls - full of all calls below it
 *	true self  = self  - inside of its calls - (full - inside) of the calls that it made itself
 * Inside also contains the cost of counting the heap blocks that the function itself allocated and freed.
 * Full also contains the cost of the slice of a long call.
 *
 * A hook costs a little more or less than was measured, so a difference may be below 0. A time cannot: the
 * part that does not fit into the self time of a path is added to it again, and to the doubt of the path and
 * its callers. So a self time is at least 0, and a total is the sum of the self times below it.
 *
 * That also holds where the recorded times do not add up. A call that a jump ended, or that a handler made
 * within a hook, is not in its caller's recorded total. The time that all calls of a path have more than its
 * total is subtracted from the path's self time. The recorded total of a coroutine contains the time when
 * others ran, but its self time does not. Only if calls of unknown path ("(other paths)") may be missing
 * below a path, its total stays as recorded.
 */
#pragma once

#include "analyzer/model/model.h"
#include "insideme_log.h"

/*
 * The cost of the hooks of the calls of @node, a node of @thread. new_paths_ns is a mean: one path may have
 * taken many times as long.
 */
struct hook_cost hook_cost_of(const struct thread *thread, const struct log_node *node);

/* What the program itself does around the two hooks of a call, at least. 0: not measured */
double hook_costs_around_ns(const struct process *process);

/* Was nothing open around the calls of the node? */
static inline bool hook_costs_is_outermost(const struct thread *thread, const struct log_node *node)
{
	return node->parent == thread->ref + (offsetof(struct log_thread, root) >> LOG_REF_SHIFT);
}

/* The numbers of a path that one step of the subtraction needs. */
struct hook_step {
	struct hook_cost cost;
	double total_ns;		/* these two: as recorded */
	double self_ns;
	bool is_timed;			/* total_ns is of all of its calls, open ones as well */
	bool is_counted;		/* it may lack calls that recorded calls were made in */
	bool keeps_total;		/* calls that it made may be missing below it */
};

/*
 * One step of the subtraction. Take paths from the last to the first: callers lie before their callees.
 * @share must begin as 0, and is complete after the step. @caller is the share of the path's caller.
 */
void hook_share_step(struct hook_share *share, struct hook_share *caller, const struct hook_step *path);

/*
 * Compute the shares of all paths of the call tree from what was added to it so far. They stay 0 if times are
 * reported as recorded.
 */
void hook_costs_subtract(struct model *model);

/* The mean cost for one call, to be subtracted from a single duration. */
static inline double hook_costs_per_call(const struct call_stats *stats)
{
	uint64_t calls = stats->known_calls + (stats->open_ns > 0 ? stats->open_calls : 0);

	return calls ? stats->removed_ns / (double)calls : 0;
}

/* The doubt of a time is marked if it is above this share of the time. */
#define HOOK_DOUBT_MARKED (1.0 / 4)

static inline bool hook_costs_hide_self(const struct call_stats *stats)
{
	return stats->known_calls && stats->self_ns * HOOK_DOUBT_MARKED < stats->self_doubt_ns;
}

static inline bool hook_costs_hide_total(const struct call_stats *stats)
{
	return stats->known_calls && stats->total_ns * HOOK_DOUBT_MARKED < stats->total_doubt_ns;
}

/* The same for one duration of @ns, after hook_costs_per_call() was subtracted. */
static inline bool hook_costs_hide_call(const struct call_stats *stats, double ns)
{
	return stats->known_calls &&
	       ns * HOOK_DOUBT_MARKED < stats->total_doubt_ns / (double)stats->known_calls;
}
