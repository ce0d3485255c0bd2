/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For call_events.c: makes the times of a thread's calls agree with the tree. Processors read their clock
 * some ns before or after the code around it, and slices are not exact to the tick. So by time alone a call
 * may begin before the call around it.
 */
#pragma once

#include "analyzer/calls/callers.h"

/* Begin again: nothing is known of calls within the next ones. */
void call_order_reset(struct caller *caller);

/*
 * Set start_ticks and end_ticks of @call, the next call of the caller's thread that ends. They move by at
 * most ORDER_TICKS.
 */
#define ORDER_TICKS 512
void call_order_settle(struct caller *caller, struct slice *call);

/* Entries and exits of some calls. */
struct call_moment {
	int64_t time;			/* model time */
	uint32_t call; /* index of the call: of two ended calls of one thread, the lower one ended first */
	bool is_exit;
};

struct call_moments {
	struct call_moment *list;
	size_t nr, room;
};

void call_moments_add(struct call_moments *moments, int64_t time, size_t call, bool is_exit);
void call_moments_sort(struct call_moments *moments, struct slice *calls);
