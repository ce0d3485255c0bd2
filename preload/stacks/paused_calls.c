/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The begin and end of gaps. */
#include "preload/stacks/paused_calls.h"

#include "preload/stacks/frames.h"
#include "preload/stacks/stacks.h"

bool gap_count(struct log_thread *thread, uintptr_t stack_addr)
{
	if (is_gap(top_frame(thread))) {
		top_frame(thread)->nr_calls++;
		return true;
	}
	if (!stack_has_room(thread))
		return false;
	call_begin_slowly(thread,
			  call_claim(live.log, thread, LOG_FUNCTION_GAP, stack_addr, 1, call_timing()));
	thread->stack_bytes = 0;	/* as in frames_use() */
	return true;
}

void gap_stretch(struct log_thread *thread, uintptr_t stack_addr)
{
	struct log_frame *top = top_frame(thread);

	if (!is_gap(top) || stack_addr <= top->stack_addr || stack_addr >= top[-1].stack_addr)
		return;
	top->nr_calls = 0;	/* any that were open were left by a jump */
	top->stack_addr = stack_addr;
}

/* If recording went on when nothing was open in the gap, it ended then: later time is not part of it. */
void gap_end(struct log_thread *thread)
{
	struct log_frame *gap = top_frame(thread);
	uint64_t on_ticks = switched_on_ticks();

	if (!switched_off() && !gap->nr_calls && gap->start_ticks && gap->start_ticks < on_ticks)
		gap->start_ticks += now_ticks() - on_ticks;
	frames_end_top(thread, true);
}

void gap_look(struct log_thread *thread)
{
	if (!is_gap(top_frame(thread)))
		return;
	if (top_frame(thread)->nr_calls)
		frames_look_again(thread);
	else
		gap_end(thread);
}

/* The exit of a call below the gap: the gap's calls were left by a jump. */
static bool is_below(const struct log_frame *gap, uint64_t function_addr, uintptr_t stack_addr)
{
	return gap[-1].function_addr == function_addr && stack_addr >= gap[-1].stack_addr;
}

bool gap_has_exit(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr)
{
	struct log_frame *gap;

	while (frames_go_down(thread))
		;
	gap = top_frame(thread);
	if (!is_gap(gap))
		return false;
	if (!gap->nr_calls || is_below(gap, function_addr, stack_addr)) {
		gap_end(thread);
		return false;
	}
	if (--gap->nr_calls == 0 && (!switched_off() || selection_now()->has_focus))
		frames_end_top(thread, true);
	return true;
}
