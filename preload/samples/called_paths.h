/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * With timing auto a call's caller may be a counted function, which has no frame. It is known by the place
 * that the call returns to, and has a node between the recorded caller's and the call's.
 */
#pragma once

#include "preload/calls/paths.h"

/* Where a call came from, as its hook knows it. */
struct call_origin {
	uintptr_t call_site;	/* where the call returns to; of a copy: where the call around it does */
	uintptr_t return_addr;	/* where the hook returns to: in the function's code, or around a copy */
};

static ALWAYS_INLINE uint32_t call_origin_word(struct call_origin origin)
{
	return (uint32_t)origin.call_site + (uint32_t)origin.return_addr * 0x9e3779b1u;
}

/*
 * An entry of the thread's cache with timing auto. Entries are pairs: what the first one held before goes to
 * the second one. Nodes of "(other paths)" have several callers.
 */
struct called_path {
	uint32_t ref;
	uint32_t origin;	/* called_path_word() */
};

/* The first of the pair. */
static ALWAYS_INLINE struct called_path *called_path_entry(struct log_thread *thread, uint32_t parent,
							   uint64_t function_addr, uint32_t origin)
{
	struct called_path *entries = (struct called_path *)thread->cache;
	const uint64_t hash = (function_addr >> 4) + parent * 5ull + (origin >> 2);

	return &entries[hash * 2 % (LOG_CACHE_ENTRIES / 2)];
}

/* Two calls may have the same entry. This word tells them apart. */
static ALWAYS_INLINE uint32_t called_path_word(uint32_t parent, struct call_origin origin)
{
	return call_origin_word(origin) ^ parent * 0x9e3779b1u;
}

/* The node that @known has for this call, 0: none. @word: called_path_word() */
static ALWAYS_INLINE uint32_t called_path_known(const struct called_path *known,
						const struct log_thread *thread, uint32_t parent,
						uint64_t function_addr, uint32_t word)
{
	const uint32_t ref = known->ref;
	const struct log_node *node = node_at(live.log, ref);

	if (likely(known->origin == word && node->function_addr == function_addr &&
		   (node->caller == parent || (thread->others && node->parent == thread->others))))
		return ref;
	return 0;
}

/* called_path() of a call that the first entry does not have; it has it then. */
uint32_t called_path_find(struct log_thread *thread, uint32_t parent, uint64_t function_addr,
			  struct call_origin origin);

/*
 * The node of @function_addr as called from @origin below @parent, the thread's current node, with timing
 * auto. Which counted functions are between @parent and the one at @origin is found out once for both, by the
 * stack.
 */
static ALWAYS_INLINE uint32_t called_path(struct log_thread *thread, uint32_t parent, uint64_t function_addr,
					  struct call_origin origin)
{
	const uint32_t word = called_path_word(parent, origin);
	const struct called_path *first = called_path_entry(thread, parent, function_addr, word);
	const uint32_t ref = called_path_known(first, thread, parent, function_addr, word);

	if (likely(ref))
		return ref;
	return called_path_find(thread, parent, function_addr, origin);
}
