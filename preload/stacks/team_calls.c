/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of a team's threads begin and end as other calls do, without the hooks' fast way. */
#include "preload/stacks/team_calls.h"

#include "preload/calls/call_slow.h"
#include "preload/calls/selection.h"
#include "preload/stacks/stacks.h"
#include "preload/stacks/thread.h"
#include "preload/state/recording_state.h"

static bool is_in_function(const struct log_thread *thread)
{
	return thread->current != log_ref(live.log, &thread->root);
}

/* Depth is counted in each thread. */
static bool is_left_out(const struct log_thread *thread)
{
	struct selection_set *set = selection_now();

	return selection.most_depth || (set->has_focus && selection_is_outside(set, thread));
}

uint32_t team_starter(void)
{
	const struct log_thread *thread = live.log ? self : NULL;

	return thread && live.log->has_hooks && is_in_function(thread) &&
			       !(selection.is_on && is_left_out(thread))
		       ? thread->current
		       : 0;
}

/* @call_site: 0: not known. */
static void begin(struct team_call *call, struct log_thread *thread, uint64_t function_addr,
		  uintptr_t call_site, uintptr_t stack_addr)
{
	const uint32_t in_function = (uint32_t)function_addr; /* as its hook's return address would be */
	struct log_frame *frame;

	*call = (struct team_call){ function_addr, stack_addr };
	if (!stack_before_enter(thread, function_addr, stack_addr, in_function))
		return;
	frame = call_claim(live.log, thread, function_addr, stack_addr, in_function, call_timing());
	frame->site_low = (uint32_t)call_site;
	call_begin_slowly(thread, frame);
}

void team_enter(struct team_call *call, uint32_t starter, uintptr_t stack_addr)
{
	struct log_thread *thread = starter ? thread_self() : NULL;

	*call = (struct team_call){ 0 };
	if (thread && !switched_off())
		stack_end_gap(thread); /* else it looks like a call around the part */
	if (thread && !is_in_function(thread))
		begin(call, thread, log_team_function(starter), 0, stack_addr);
}

void team_enter_body(struct team_call *call, uintptr_t function_addr, uintptr_t call_site,
		     uintptr_t stack_addr)
{
	struct log_thread *thread = function_addr ? thread_self() : NULL;

	*call = (struct team_call){ 0 };
	if (thread && is_in_function(thread))
		begin(call, thread, function_addr, call_site, stack_addr);
}

/* A jump may have left calls above it, and a fork in a handler made this another process. */
void team_leave(const struct team_call *call)
{
	struct log_thread *thread = live.log && call->function_addr ? thread_self() : NULL;

	if (thread)
		stack_exit(thread, call->function_addr, call->stack_addr);
}
