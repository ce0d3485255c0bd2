/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The recorder's own cost, taken out of times. What was recorded of a path holds, for each of its calls, what its two hooks
 * cost between their readings of the clock (inside), and all that the hooks of the calls below it cost (full). So
 *	true total = total - inside of its calls - full of all calls below it
 *	true self  = self  - inside of its calls - (full - inside) of the calls that it made itself
 * Of inside are also the blocks of the heap that it allocated and freed itself; of full, the record of a long call.
 * Sums stay signed: what comes out below 0 is so by the noise of the costs, and others have it.
 */
#ifndef INSIDEME_HOOK_COSTS_H
#define INSIDEME_HOOK_COSTS_H

#include "analyzer/model/model.h"
#include "insideme_log.h"

/* What the hooks of some calls cost: in the calls' own time, all of it, and how well that is known. All 0: it is not known. */
struct hook_cost {
	double inside_ns;
	double hooks_ns;
	double noise_ns;
	double new_path_ns;	/* of hooks_ns: making the path. A mean: one may have taken many times as long, so all of it is doubt */
};
/* Of the calls of a @node of @thread. */
struct hook_cost hook_cost_of(const struct thread *thread, const struct log_node *node);

/*
 * Add to @path what the hooks of a log's @node cost, and take it out of the thread's time in functions.
 */
void hook_costs_add(struct tree_node *path, struct thread *thread, const struct log_node *node);
/* The same of calls that are left out, see selection.h: @path is what they stand for. */
void hook_costs_add_left_out(struct tree_node *path, struct thread *thread, const struct log_node *node);

/* Both, but for the thread's time, where the cost is known. @is_outermost: it was recorded with nothing open around it. */
void hook_costs_give(struct model *model, const struct tree_node *path, const struct hook_cost *cost, bool is_outermost);
void hook_costs_leave_out(struct model *model, struct tree_node *path, const struct hook_cost *cost, bool is_outermost);

/* Of each path, by its id, what to take out, and how well it is known. */
struct hook_share {
	double self_ns;
	double total_ns;
	double self_doubt_ns;
	double total_doubt_ns;
};
/* Freed by the caller. All 0 where @model wants times as they were recorded. */
struct hook_share *hook_costs_find(const struct model *model);

/* Take it out of all paths. Once, before they are summed up. */
void hook_costs_take_out(struct model *model);

/* Of one call, in the mean: to be taken off a single duration. */
static inline double hook_costs_per_call(const struct call_stats *stats)
{
	uint64_t calls = stats->known_calls + (stats->open_ns > 0 ? stats->open_calls : 0);

	return calls ? stats->removed_ns / (double)calls : 0;
}

/* Is it less than what the costs are known by? Then it is of no more worth than 0. */
static inline bool hook_costs_hide_self(const struct call_stats *stats)
{
	return stats->known_calls && stats->self_ns < stats->self_doubt_ns;
}

static inline bool hook_costs_hide_total(const struct call_stats *stats)
{
	return stats->known_calls && stats->total_ns < stats->total_doubt_ns;
}

/* The same of one duration of @ns, from which hook_costs_per_call() was taken off. */
static inline bool hook_costs_hide_call(const struct call_stats *stats, double ns)
{
	return stats->known_calls && ns < stats->total_doubt_ns / (double)stats->known_calls;
}

#endif
