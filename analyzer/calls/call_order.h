/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times of a thread's calls that agree with the tree: processors read their clock some ns before or after the code around
 * it, and slices are not exact to the tick, so that by time alone a call may begin before the one that it is in.
 */
#ifndef INSIDEME_CALL_ORDER_H
#define INSIDEME_CALL_ORDER_H

#include "analyzer/calls/open_call_index.h"

/* Begin again: nothing is known of what is within the next calls. */
void call_order_reset(struct caller *caller);

/* Set start_ticks and end_ticks of @call, the caller's next one to end. They move by ORDER_TICKS at most. */
#define ORDER_TICKS 512
void call_order_settle(struct caller *caller, struct slice *call);

#endif
