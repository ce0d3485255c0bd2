/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/samples/called_paths.h"

#include "preload/calls/calls.h"
#include "preload/calls/counted.h"
#include "preload/calls/stubs.h"
#include "preload/samples/backtrace.h"
#include "preload/samples/cpu_samples.h"

#define IS_KNOWN UINT16_MAX /* window_calls of a counted function's node: window_ticks is the node to use */

/*
 * The path to @caller, which has just called a function with hooks; 0: it cannot be found now. The time that
 * this takes is in the recorded caller's, as that of making a path is.
 */
static NOINLINE uint32_t path_to(struct log_thread *thread, uintptr_t caller)
{
	const bool has_call = thread->current != log_ref(live.log, &thread->root);
	const struct log_frame *top = top_frame(thread);
	const uint64_t start_ticks = now_ticks();
	struct stack_call calls[BACKTRACE_MOST];
	uint32_t nr, path;

	if (!samples_may_unwind(thread) || (has_call && top->node != thread->current))
		return 0;
	nr = backtrace_take_below(calls, 0, has_call ? top->stack_addr + sizeof(void *) : UINTPTR_MAX);
	if (has_call)
		path_took(thread, now_ticks() - start_ticks);
	for (uint32_t i = 0; i < nr; i++)
		if (calls[i].function_addr == caller) {
			path = samples_path_of_stack(thread, calls + i, nr - i);
			return node_at(live.log, path)->function_addr == caller ? path : 0;
		}
	return thread->current;		/* it is not below the recorded caller */
}

/* @caller: a counted function, called by @parent or by others that are counted. */
static uint32_t path_between(struct log_thread *thread, uint32_t parent, uintptr_t caller)
{
	const uint32_t direct = path_find(thread, parent, caller);
	struct log_node *node = node_at(live.log, direct);
	uint32_t path;

	if (node->parent != parent || node->function_addr != caller)
		return direct;		/* there was no room for a path of its own */
	if (node->window_calls == IS_KNOWN)
		return node->window_ticks;
	path = path_to(thread, caller);
	if (!path)
		return direct;
	node->window_ticks = path;
	signal_fence();
	node->window_calls = IS_KNOWN;
	return path;
}

/*
 * The counted function whose code made the call; 0: the recorded caller's did, or it is not known. The
 * recorded caller may be a copy, too.
 */
static uintptr_t counted_caller(const struct log_thread *thread, uint32_t parent, uint64_t function_addr,
				struct call_origin origin)
{
	const uintptr_t around = code_function(origin.return_addr);
	const uintptr_t caller = around == function_addr ? code_function(origin.call_site - 1) : around;

	if (!caller || caller == node_at(live.log, parent)->function_addr ||
	    caller == samples_code_of_call(top_frame(thread), caller))
		return 0;
	return counted_without_frames(counted_find(caller)) ? caller : 0;
}

/* A handler that interrupts us finds both words of one call, or none. */
static void called_path_set(struct called_path *entry, struct called_path to)
{
	entry->ref = 0;
	signal_fence();
	entry->origin = to.origin;
	signal_fence();
	entry->ref = to.ref;
}

NOINLINE uint32_t called_path_find(struct log_thread *thread, uint32_t parent, uint64_t function_addr,
				   struct call_origin origin)
{
	const uint32_t word = called_path_word(parent, origin);
	struct called_path *pair = called_path_entry(thread, parent, function_addr, word);
	uint32_t ref = called_path_known(&pair[1], thread, parent, function_addr, word);

	if (unlikely(!ref)) {
		const uintptr_t caller = counted_caller(thread, parent, function_addr, origin);

		ref = caller ? path_between(thread, parent, caller) : parent;
		ref = path_find(thread, ref, function_addr);
		node_at(live.log, ref)->caller = parent;
	}
	called_path_set(&pair[1], pair[0]);
	called_path_set(&pair[0], (struct called_path){ ref, word });
	return ref;
}
