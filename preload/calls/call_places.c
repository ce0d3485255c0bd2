/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open addressing in areas that get larger; a handler may come between any two stores, and make a second
 * record. */
#include "preload/calls/call_places.h"

#include "preload/calls/paths.h"
#include "preload/state/log_space.h"

#define FIRST_PLACES 64u /* a power of two, as GROWTH */
#define GROWTH 4u
#define LAST_PLACES (1u << 18)
#define PROBES 8u

/* NULL: no room. */
static struct log_node *find_in(struct log_area *area, struct called_from from)
{
	const uint64_t hash = call_place_hash(from);

	for (uint32_t i = 0; i < PROBES; i++) {
		struct log_node *place = call_place_at(area, hash + i);
		uint32_t none = 0;

		if (place->parent == from.node && place->function_addr == from.code)
			return place;
		if (!place->parent &&
		    __atomic_compare_exchange_n(&place->parent, &none, from.node, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			place->child = LOG_PLACE;
			place->function_addr = from.code;
			place->min_ticks = UINT64_MAX;
			return place;
		}
	}
	return NULL;
}

static uint64_t places_in(const struct log_area *area)
{
	return area->used_bytes / sizeof(struct log_node);
}

/* Larger than the thread's newest one, if there is room. */
static struct log_area *new_area(struct log_thread *thread)
{
	const uint32_t newest = thread->head.beside;
	const uint64_t nr = newest ? places_in(log_at(live.log, newest)) * GROWTH : FIRST_PLACES;
	const uint64_t bytes = sizeof(struct log_area) + nr * sizeof(struct log_node);
	struct log_area *area = NULL;

	if (nr <= LAST_PLACES)
		area = log_space_new_area(LOG_AREA_CALL_PLACES, thread->head.self,
					  (bytes + LOG_AREA_ALIGN - 1) / LOG_AREA_ALIGN * LOG_AREA_ALIGN,
					  (uint32_t)bytes, sizeof(struct log_node));
	if (!area)
		return NULL;
	area->next = newest;
	thread->head.beside = area->self;
	return area;
}

NOINLINE struct log_node *call_place_find(struct log_thread *thread, struct called_from from)
{
	struct log_node *place =
		thread->head.beside ? find_in(log_at(live.log, thread->head.beside), from) : NULL;
	struct log_area *area = place ? NULL : new_area(thread);

	if (area)
		place = find_in(area, from);
	if (place)
		return place;
	log_lose(live.log, LOG_LOST_CALL_PLACES);
	return node_at(live.log, from.node);
}
