/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * With timing auto a call's caller may be a counted function, which has no frame. It is known by the place
 * that the call returns to, and has a node between the recorded caller's and the call's.
 */
#pragma once

#include "preload/calls/paths.h"

/* An entry of the thread's cache with timing auto; it is checked against the node's caller as well. */
struct called_path {
	uint32_t ref;
	uint32_t site_low;
};

static ALWAYS_INLINE struct called_path *called_path_entry(struct log_thread *thread, uint32_t parent,
							   uint64_t function_addr, uintptr_t call_site)
{
	struct called_path *entries = (struct called_path *)thread->cache;
	const uint64_t hash = (function_addr >> 4) + parent * 5ull + (call_site >> 2);

	return &entries[hash % (LOG_CACHE_ENTRIES / 2)];
}

/*
 * The node of @function_addr as called at @call_site (0: not known) below @parent, the thread's current node.
 * @stack_addr: as in its frame.
 * It is put into the cache. Which counted functions are between the recorded caller and the one at @call_site
 * is found out once for both, by the stack.
 */
uint32_t called_path_find(struct log_thread *thread, uint32_t parent, uint64_t function_addr,
			  uintptr_t call_site, uintptr_t stack_addr);
