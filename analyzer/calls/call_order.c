/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls come in the order of their ends, so the calls within a call came just before it. Their entries and
 * exits are sorted by time, and by the call tree if times are equal.
 */
#include "analyzer/calls/call_order.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/model/tree_walk.h"
#include "analyzer/read/nodes_read.h"

void call_order_reset(struct caller *caller)
{
	caller->nr_within = 0;
}

/* Is @later just after @ticks, where it belongs? */
static bool is_near(uint64_t ticks, uint64_t later)
{
	return later > ticks && later - ticks <= ORDER_TICKS;
}

/* Do not begin before the calls around it that are still open. */
static void settle_in_open_calls(const struct caller *caller, struct slice *call)
{
	for (size_t i = caller->next_entered; i < caller->nr_sorted; i++) {
		const struct entered_call *entered = &caller->entered[i];

		if (entered->start_ticks > call->start_ticks &&
		    !is_near(call->start_ticks, entered->start_ticks))
			return;
		if (entered->start_ticks > call->start_ticks &&
		    tree_is_above(nodes_path(caller->thread, entered->ref), call->node->parent))
			call->start_ticks = entered->start_ticks;
	}
}

/* The first of the calls within @call, and the end of the call before that one. */
static struct calls_within take_within(struct caller *caller, const struct slice *call)
{
	struct calls_within within = { .parent = NULL,
				       .start_ticks = UINT64_MAX,
				       .floor_ticks = caller->last_ticks };

	while (caller->nr_within && caller->within[caller->nr_within - 1].parent == call->node)
		within = caller->within[--caller->nr_within];
	return within;
}

static void add_within(struct caller *caller, const struct slice *call, uint64_t floor_ticks)
{
	if (caller->nr_within && caller->within[caller->nr_within - 1].parent == call->node->parent)
		return;		/* not the first one there */
	APPEND(caller->within, caller->nr_within) =
		(struct calls_within){ call->node->parent, call->start_ticks, floor_ticks };
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

void call_moments_add(struct call_moments *moments, int64_t time, size_t call, bool is_exit)
{
	moments->list = xroom(moments->list, moments->nr, &moments->room, sizeof(*moments->list));
	moments->list[moments->nr++] = (struct call_moment){ time, (uint32_t)call, is_exit };
}

/*
 * Two events of one thread at one tick. The call @first ends first. If clocks are coarse, the tree decides
 * which call is within the other.
 */
static int compare_at_once(const struct slice *calls, const struct call_moment *first,
			   const struct call_moment *second)
{
	if (second->is_exit || calls[first->call].node == calls[second->call].node)
		return -1;
	return tree_is_above(calls[second->call].node, calls[first->call].node) ? 1 : -1;
}

static int compare_moments(const void *a, const void *b, void *context)
{
	const struct call_moment *x = a, *y = b;
	const struct slice *calls = context, *p, *q;
	uint64_t p_ticks, q_ticks;

	if (x->time != y->time)		/* mostly; the calls are far apart in memory */
		return x->time < y->time ? -1 : 1;
	p = &calls[x->call];
	q = &calls[y->call];
	p_ticks = x->is_exit ? p->end_ticks : p->start_ticks;
	q_ticks = y->is_exit ? q->end_ticks : q->start_ticks;
	if (p->thread->process != q->thread->process)
		return p->thread->process < q->thread->process ? -1 : 1;
	if (p_ticks != q_ticks)
		return p_ticks < q_ticks ? -1 : 1;
	if (p->thread != q->thread)
		return p->thread < q->thread ? -1 : 1;
	if (x->call == y->call)
		return x->is_exit - y->is_exit;
	return x->call < y->call ? compare_at_once(calls, x, y) : -compare_at_once(calls, y, x);
}

void call_moments_sort(struct call_moments *moments, struct slice *calls)
{
	if (moments->nr)
		qsort_r(moments->list, moments->nr, sizeof(*moments->list), compare_moments, calls);
}
