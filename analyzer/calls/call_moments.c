/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of entries and exits: by time, and where that says nothing by the tree. */
#include "analyzer/calls/call_moments.h"

#include <stdlib.h>

#include "analyzer/base/error.h"
#include "analyzer/model/tree_walk.h"

void call_moments_add(struct call_moments *moments, int64_t time, size_t call, bool is_exit)
{
	moments->list = xgrow(moments->list, moments->nr, sizeof(*moments->list));
	moments->list[moments->nr++] = (struct call_moment){ time, (uint32_t)call, is_exit };
}

/*
 * Two of one thread at one tick, of calls of which @first ends first: where clocks are coarse the tree says which
 * is within the other.
 */
static int compare_at_once(const struct slice *calls, const struct call_moment *first, const struct call_moment *second)
{
	if (second->is_exit || calls[first->call].node == calls[second->call].node)
		return -1;
	return tree_is_above(calls[second->call].node, calls[first->call].node) ? 1 : -1;
}

static int compare_moments(const void *a, const void *b, void *context)
{
	const struct call_moment *x = a, *y = b;
	const struct slice *calls = context, *p = &calls[x->call], *q = &calls[y->call];
	uint64_t p_ticks = x->is_exit ? p->end_ticks : p->start_ticks, q_ticks = y->is_exit ? q->end_ticks : q->start_ticks;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
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
