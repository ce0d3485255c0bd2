/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Subtracts the recorder's own cost from times. The recorded time of a path contains, for each of its calls, what the call's
 * two hooks cost between their readings of the clock (inside), and all that the hooks of the calls below it cost (full). So
 *	true total = total - inside of its calls - full of all calls below it
 *	true self  = self  - inside of its calls - (full - inside) of the calls that it made itself
 * Inside also contains the cost of counting the heap blocks that the function itself allocated and freed; full also contains
 * the record of a long call.
 *
 * A hook costs a little more or less than was measured, so the difference may be below 0. A time cannot: what does not fit into the
 * self time of a path is given back to it, and its doubt and those of its callers grow by as much. So a self time is at least
 * 0, and a total is the sum of the self times below it.
 */
#ifndef INSIDEME_HOOK_COSTS_H
#define INSIDEME_HOOK_COSTS_H

#include "analyzer/model/model.h"
#include "insideme_log.h"

/* The cost of the calls of a @node of @thread. Its new_paths_ns is a mean: one path may have taken many times as long. */
struct hook_cost hook_cost_of(const struct thread *thread, const struct log_node *node);

/* Was the node recorded with nothing open around it? */
static inline bool hook_costs_is_outermost(const struct thread *thread, const struct log_node *node)
{
	return node->parent == thread->ref + (offsetof(struct log_thread, root) >> LOG_REF_SHIFT);
}

/*
 * One step of the subtraction, for paths from the last to the first: a caller lies before what it calls. @share, which began
 * as 0, is complete after the step. @caller is the share of the path's caller, @self_ns the path's self time as recorded.
 */
static inline void hook_share_step(struct hook_share *share, struct hook_share *caller, const struct hook_cost *cost,
				   double self_ns)
{
	double excess_ns = fmax(share->self_ns + cost->inside_ns - fmax(self_ns, 0), 0);

	share->self_ns += cost->inside_ns - excess_ns;
	share->total_ns += cost->inside_ns - excess_ns;
	share->self_doubt_ns += cost->noise_ns + excess_ns;
	share->total_doubt_ns += cost->noise_ns + excess_ns;
	caller->self_ns += cost->hooks_ns - cost->inside_ns;
	caller->total_ns += share->total_ns + cost->hooks_ns - cost->inside_ns;
	caller->self_doubt_ns += cost->noise_ns + cost->new_paths_ns;
	caller->total_doubt_ns += share->total_doubt_ns + cost->new_paths_ns;
}

/* Find the shares of all paths of the call tree, by what was added to it so far. They stay 0 for times as recorded. */
void hook_costs_subtract(struct model *model);

/* The mean of one call, to be subtracted from a single duration. */
static inline double hook_costs_per_call(const struct call_stats *stats)
{
	uint64_t calls = stats->known_calls + (stats->open_ns > 0 ? stats->open_calls : 0);

	return calls ? stats->removed_ns / (double)calls : 0;
}

/* Is the time smaller than its doubt? Then it says no more than 0 does. */
static inline bool hook_costs_hide_self(const struct call_stats *stats)
{
	return stats->known_calls && stats->self_ns < stats->self_doubt_ns;
}

static inline bool hook_costs_hide_total(const struct call_stats *stats)
{
	return stats->known_calls && stats->total_ns < stats->total_doubt_ns;
}

/* The same for one duration of @ns, from which hook_costs_per_call() was subtracted. */
static inline bool hook_costs_hide_call(const struct call_stats *stats, double ns)
{
	return stats->known_calls && ns < stats->total_doubt_ns / (double)stats->known_calls;
}

#endif
