/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The call tree of a thread: one node per distinct call path. */
#pragma once

#include "preload/state/live.h"

static ALWAYS_INLINE struct log_node *node_at(const struct log_header *log, uint32_t ref)
{
	return log_at(log, ref);
}

/* The room for the thread's next node. */
static inline struct log_area *paths_newest_area(struct log_thread *thread)
{
	return thread->nodes ? log_at(live.log, thread->nodes) : &thread->head;
}

/* The place in the thread's cache for the callee @function_addr of @parent. */
static ALWAYS_INLINE uint32_t *path_cache_entry(struct log_thread *thread, uint32_t parent,
						uint64_t function_addr)
{
	return &thread->cache[((function_addr >> 4) + parent * 5ull) % LOG_CACHE_ENTRIES];
}

/*
 * The node of @function_addr as called from @parent, made when the path is new, and put into the cache. Never
 * fails: without room it is the function's node under "(other paths)", or if there is none, that node itself.
 */
uint32_t path_find(struct log_thread *thread, uint32_t parent, uint64_t function_addr);

/*
 * To make or find a path within a call took @ticks. They are subtracted from that call's time. Return: false:
 * they were so many that another thread must have run meanwhile, and are left out
 */
bool path_took(struct log_thread *thread, uint64_t ticks);

/* A function that is open on a stack without hooks. */
struct stack_call {
	uintptr_t function_addr;
	uintptr_t code_addr;	/* in its call of the next one; in an interrupted function it means nothing */
};

/*
 * The same for a stack: @calls, @nr of them, the innermost first. Callers are identified by the place that
 * they call from, and so is the innermost one if it @is_caller, for example of malloc(). Without calls it is
 * the node of "(other paths)".
 */
uint32_t path_of_stack(struct log_thread *thread, const struct stack_call *calls, uint32_t nr,
		       bool is_caller);

/* A node's histogram bucket has passed 2^32 and begins again: record that in the log. */
void path_bucket_wrapped(const struct log_thread *thread, const uint32_t *bucket);

/*
 * Functions in [@begin, @end), of module @number, are unloaded: their nodes, in all threads, no longer match.
 */
void paths_retire(uint64_t begin, uint64_t end, uint64_t number);
