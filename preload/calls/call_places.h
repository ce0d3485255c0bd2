/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calling lines (INSIDEME_CALL_LINES): the calls of each path by the place in the code that they came from.
 *
 * An entry keeps the place, as the hook gives it, in the call's frame, and the call's end adds to the place's
 * counters instead of the path's. Calls made from there stay below one node of the path, so paths do not
 * multiply.
 */
#pragma once

#include "preload/state/live.h"

/* The place that a call came from; the key of its counters. */
struct called_from {
	uint64_t code;
	uint32_t node;
};

static ALWAYS_INLINE struct called_from called_from(uint32_t node, uint32_t return_low, uint32_t site_low)
{
	return (struct called_from){ (uint64_t)return_low << 32 | site_low, node };
}

/*
 * The place of a call that has a frame. The hook of an inlined call is given the calling place of the call
 * around it, which has the same place on the stack: that says nothing. Both halves are loaded singly, as they
 * were stored; one load of both would wait for the stores.
 */
static ALWAYS_INLINE struct called_from call_place_of(const struct log_frame *frame)
{
	uint32_t return_low = frame->return_low, site_low = frame->site_low;

	load_now(return_low);
	load_now(site_low);
	return called_from(frame->node, return_low, frame[-1].stack_addr == frame->stack_addr ? 0 : site_low);
}

static ALWAYS_INLINE uint64_t call_place_hash(struct called_from from)
{
	return ((from.code ^ (uint64_t)from.node << 16) * 0x9e3779b97f4a7c15u) >> 32;
}

static ALWAYS_INLINE struct log_node *call_place_at(struct log_area *area, uint64_t hash)
{
	struct log_node *places = (struct log_node *)(area + 1);

	return &places[hash & (area->used_bytes / sizeof(*places) - 1)];
}

/*
 * The counters of the place, if they are where they are looked for first; NULL: they are elsewhere, or there
 * are none yet.
 */
static ALWAYS_INLINE struct log_node *
call_place_guess(const struct log_header *log, const struct log_thread *thread, struct called_from from)
{
	const uint32_t area = thread->head.beside;
	struct log_node *place = area ? call_place_at(log_at(log, area), call_place_hash(from)) : NULL;

	return likely(place && place->parent == from.node && place->function_addr == from.code) ? place
											    : NULL;
}

/*
 * The counters, wherever they are; made if the place is new. Without room (counted) those of its path. Called
 * by the thread or its handlers.
 */
struct log_node *call_place_find(struct log_thread *thread, struct called_from from);
