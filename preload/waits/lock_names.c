/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table by hash, without a list: a lock is in one of the few places that follow its hash. A task claims a
 * place before it changes it. If another task has claimed it, for some instructions, the change is dropped:
 * then less is known.
 */
#include "preload/waits/lock_names.h"

#include <stddef.h>

#include "insideme_log.h"
#include "preload/common/base/compiler.h"

#define PLACES 4096u /* a power of two */
#define PROBES 4u
#define CLAIMED 1u /* no lock has this address */

struct place {
	uintptr_t lock; /* atomic; 0: free; CLAIMED: it changes */
	struct lock_facts facts;
};
LARGE static struct place places[PLACES];

static struct place *place_at(const void *lock, uint32_t probe)
{
	const uint64_t hash = (uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15u >> 32;

	return &places[(hash + probe) % PLACES];
}

static uintptr_t lock_at(const struct place *place)
{
	return __atomic_load_n(&place->lock, __ATOMIC_ACQUIRE);
}

/* NULL: none */
static struct place *find(uintptr_t wanted, const void *lock)
{
	for (uint32_t i = 0; i < PROBES; i++)
		if (lock_at(place_at(lock, i)) == wanted)
			return place_at(lock, i);
	return NULL;
}

/* The last of the places whose lock has no name. NULL: all have one. */
static struct place *find_nameless(const void *lock)
{
	for (uint32_t i = PROBES; i-- > 0;)
		if (!place_at(lock, i)->facts.label)
			return place_at(lock, i);
	return NULL;
}

static bool claim_from(struct place *place, uintptr_t seen)
{
	return seen != CLAIMED && __atomic_compare_exchange_n(&place->lock, &seen, CLAIMED, false,
							      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool claim(struct place *place)
{
	return place && claim_from(place, lock_at(place));
}

static void publish(struct place *place, const void *lock)
{
	__atomic_store_n(&place->lock, (uintptr_t)lock, __ATOMIC_RELEASE);
}

/* A place for the lock, claimed; NULL: there is no room. */
static struct place *claim_for(const void *lock)
{
	struct place *place = find((uintptr_t)lock, lock) ?: find(0, lock) ?: find_nameless(lock);

	return claim(place) ? place : NULL;
}

void lock_initialised(const void *lock, uintptr_t caller_addr)
{
	struct place *place = claim_for(lock);

	if (!place)
		return;
	place->facts = (struct lock_facts){ .init_addr = caller_addr };
	publish(place, lock);
}

void lock_destroyed(const void *lock)
{
	struct place *place = find((uintptr_t)lock, lock);

	if (!claim(place))
		return;
	place->facts = (struct lock_facts){ 0 };
	publish(place, NULL);
}

void lock_retire_code(uintptr_t begin, uintptr_t end, uint64_t number)
{
	for (struct place *place = places; place < places + PLACES; place++) {
		const uintptr_t lock = lock_at(place);

		if (!lock || place->facts.init_addr - begin >= end - begin || !claim_from(place, lock))
			continue;
		place->facts.init_addr |= LOG_FUNCTION_RETIRED | number << LOG_FUNCTION_MODULE_SHIFT;
		publish(place, (const void *)lock);
	}
}

bool lock_name(const void *lock, uint32_t label)
{
	const bool is_known = find((uintptr_t)lock, lock);
	struct place *place = claim_for(lock);

	if (!place)
		return false;
	if (!is_known)
		place->facts.init_addr = 0;
	place->facts.label = label;
	publish(place, lock);
	return true;
}

/*
 * If the lock is destroyed and initialised meanwhile, the facts may be of both. Each is true of one of them,
 * and a wait shows only one.
 */
struct lock_facts lock_facts(const void *lock)
{
	const struct place *place = find((uintptr_t)lock, lock);
	struct lock_facts facts = place ? place->facts : (struct lock_facts){ 0 };

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return place && lock_at(place) == (uintptr_t)lock ? facts : (struct lock_facts){ 0 };
}
