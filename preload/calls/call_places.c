/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open addressing in areas that get larger; a handler may come between any two stores, and make a second
 * record. */
#include "preload/calls/call_places.h"

#include "preload/state/log_space.h"

#define FIRST_AREA_BYTES 4096u
#define GROWTH 4u
#define LAST_AREA_BYTES (16u << 20)
#define PROBES 8u

/* NULL: no room. */
static struct log_call_place *find_in(struct log_area *area, struct called_from from)
{
	const uint64_t hash = call_place_hash(from);

	for (uint32_t i = 0; i < PROBES; i++) {
		struct log_call_place *place = call_place_at(area, hash + i);
		uint32_t none = 0;

		if (place->node == from.node && place->code == from.code)
			return place;
		if (!place->node && __atomic_compare_exchange_n(&place->node, &none, from.node, false,
								__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			place->code = from.code;
			place->min_ticks = UINT64_MAX;
			return place;
		}
	}
	return NULL;
}

/* Larger than the thread's newest one, if there is room. */
static struct log_area *new_area(struct log_thread *thread)
{
	const uint32_t newest = thread->head.beside;
	const uint64_t bytes =
		newest ? ((struct log_area *)log_at(live.log, newest))->bytes * GROWTH : FIRST_AREA_BYTES;
	struct log_area *area = NULL;

	if (bytes <= LAST_AREA_BYTES)
		area = log_space_new_area(LOG_AREA_CALL_PLACES, thread->head.self, bytes, (uint32_t)bytes,
					  sizeof(struct log_call_place));
	if (!area)
		return NULL;
	area->next = newest;
	thread->head.beside = area->self;
	return area;
}

NOINLINE struct log_call_place *call_place_find(struct log_thread *thread, struct called_from from)
{
	struct log_call_place *place =
		thread->head.beside ? find_in(log_at(live.log, thread->head.beside), from) : NULL;
	struct log_area *area = place ? NULL : new_area(thread);

	if (area)
		place = find_in(area, from);
	if (!place)
		log_lose(live.log, LOG_LOST_CALL_PLACES);
	return place;
}
