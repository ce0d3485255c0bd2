/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that begin while recording is off have no frames. They lie in a gap: one frame, of the function
 * LOG_FUNCTION_GAP, for all calls that a call makes meanwhile; it counts how many of them are open. So each
 * exit finds its entry, whether these came before or after a switch. The calls' time belongs to the gap and
 * is no function's self time. Calls that begin within them after recording went on stand under the gap.
 */
#pragma once

#include "preload/calls/calls.h"
#include "preload/calls/selection.h"
#include "preload/state/recording_state.h"

static ALWAYS_INLINE bool is_gap(const struct log_frame *frame)
{
	return frame->function_addr == LOG_FUNCTION_GAP;
}

/* An entry while recording is off: true if it lies in the gap on top, which then counts it. */
static ALWAYS_INLINE bool gap_takes_entry(const struct log_thread *thread, uintptr_t stack_addr)
{
	struct log_frame *top = top_frame(thread);

	if (unlikely(!is_gap(top) || stack_addr > top->stack_addr || thread->overflow_depth))
		return false;
	top->nr_calls++;
	return true;
}

/*
 * The same for an exit. Calls at or above the one below the gap are not in it. With a focus, a gap ends with
 * its last call, so that the thread is outside of the focus again.
 */
static ALWAYS_INLINE bool gap_takes_exit(struct log_thread *thread, uintptr_t stack_addr)
{
	struct log_frame *top = top_frame(thread);

	if (unlikely(!is_gap(top) || top->nr_calls <= selection_now()->has_focus ||
		     stack_addr >= top[-1].stack_addr || thread->overflow_depth))
		return false;
	if (!--top->nr_calls)
		thread->stack_bytes = 0;	/* the first hook after it goes on ends the gap */
	return true;
}

/* While a gap is on top, must hooks go the slow way? */
static inline bool gap_is_idle(const struct log_frame *frame)
{
	return is_gap(frame) && (!frame->nr_calls || switched_off());
}

/* A call begins above the outermost one in the gap on top, and has the same caller: it is in the gap, too. */
void gap_stretch(struct log_thread *thread, uintptr_t stack_addr);

/*
 * A call begins while recording is off: count it in the gap on top, or in a new one. False: there is no room.
 */
bool gap_count(struct log_thread *thread, uintptr_t stack_addr);

/* Is this the exit of a call in the gap on top? Then the gap counts it; otherwise the gap ends. */
bool gap_has_exit(struct log_thread *thread, uint64_t function_addr, uintptr_t stack_addr);

/* Recording is on: end a gap on top in which no call is open. */
void gap_look(struct log_thread *thread);

/* The gap on top is over. */
void gap_end(struct log_thread *thread);
