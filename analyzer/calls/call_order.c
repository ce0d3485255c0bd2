/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls come in the order of their ends, so that those within a call have just come before it. */
#include "analyzer/calls/call_order.h"

#include "analyzer/base/error.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/nodes_read.h"

void call_order_reset(struct caller *caller)
{
	caller->nr_within = 0;
}

/* A little later than @ticks, which is where it belongs? */
static bool is_near(uint64_t ticks, uint64_t later)
{
	return later > ticks && later - ticks <= ORDER_TICKS;
}

/* Not before the calls around it that are open still. */
static void settle_in_open_calls(const struct caller *caller, struct slice *call)
{
	for (size_t i = caller->next_entered; i < caller->nr_sorted; i++) {
		const struct entered_call *entered = &caller->entered[i];

		if (entered->start_ticks > call->start_ticks && !is_near(call->start_ticks, entered->start_ticks))
			return;
		if (entered->start_ticks > call->start_ticks &&
		    tree_is_above(nodes_path(caller->thread, entered->ref), call->node->parent))
			call->start_ticks = entered->start_ticks;
	}
}

/* The first of the calls within @call, and of what came before that. */
static struct calls_within take_within(struct caller *caller, const struct slice *call)
{
	struct calls_within within = { .parent = NULL, .start_ticks = UINT64_MAX, .floor_ticks = caller->last_ticks };

	while (caller->nr_within && caller->within[caller->nr_within - 1].parent == call->node)
		within = caller->within[--caller->nr_within];
	return within;
}

static void add_within(struct caller *caller, const struct slice *call, uint64_t floor_ticks)
{
	if (caller->nr_within && caller->within[caller->nr_within - 1].parent == call->node->parent)
		return;		/* not the first one there */
	caller->within = xgrow(caller->within, caller->nr_within, sizeof(*caller->within));
	caller->within[caller->nr_within++] = (struct calls_within){ call->node->parent, call->start_ticks, floor_ticks };
}

void call_order_settle(struct caller *caller, struct slice *call)
{
	struct calls_within within = take_within(caller, call);

	if (is_near(within.start_ticks, call->start_ticks))
		call->start_ticks = within.start_ticks;
	if (is_near(call->start_ticks, within.floor_ticks))
		call->start_ticks = within.floor_ticks;
	settle_in_open_calls(caller, call);
	if (is_near(call->end_ticks, caller->last_ticks))
		call->end_ticks = caller->last_ticks;
	if (call->end_ticks < call->start_ticks)
		call->end_ticks = call->start_ticks;
	caller->last_ticks = call->end_ticks;
	add_within(caller, call, within.floor_ticks);
}
