/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adaptive timing: of the calls of a path that are many and short some are timed, and stand for the others.
 *
 * A path's calls form blocks of 2^shift that begin one after the other; one of each block, each with the same
 * probability, is timed and adds its duration 2^shift times: to total_ticks, to the squares, to the histogram, and to
 * the child time of the frame below it. Which one it is, and how long the block is, is settled before the block's
 * first call from what is known by then and from a random number that nothing else uses. So a call of duration D
 * adds 2^-shift * 2^shift * D = D in the mean, whatever D is and whatever calls before it lasted: total_ticks is an
 * unbiased estimate. The last block, cut short when the program ends, is no exception, as that holds for each call.
 *
 * A frame, timed or not, hands what its callees added to its child time on to its node when it ends, and without a weight of its
 * own: child_ticks is the sum of the estimates of all calls made from the path, and self time, the difference, is
 * unbiased as well. It may come out below 0.
 *
 * The variance of one timed call for its block is 2^shift * (2^shift - 1) * s^2, s^2 being the spread of durations in the
 * block; the squared distance to the running mean stands for s^2, and is not smaller in the mean.
 *
 * A call that is not timed keeps the last reading of the clock before it, and the first within it. Where both ends
 * show that it lasted the threshold, it gets a slice with bounds; what lies wholly between two readings is missed.
 */
#ifndef INSIDEME_ADAPTIVE_H
#define INSIDEME_ADAPTIVE_H

#include "preload/calls/calls.h"

/* The call of @frame on the path @ref is the one of its block. Publishes it. */
void adaptive_begin_timed(struct log_thread *thread, struct log_frame *frame, uint32_t ref);
void adaptive_end_timed(struct log_thread *thread, struct log_frame *frame, bool broken);

/* The clock was read while the call of @frame was open, and passed the threshold since the reading before it. */
void adaptive_end_long(struct log_thread *thread, struct log_frame *frame, bool broken);

/* The claimed @frame is a call of the path @ref: publish it. */
static ALWAYS_INLINE void adaptive_begin(const struct log_header *log, struct log_thread *thread,
					 struct log_frame *frame, uint32_t ref)
{
	struct log_node *node = node_at(log, ref);

	if (unlikely(!node->skip_calls)) {
		adaptive_begin_timed(thread, frame, ref);
		return;
	}
	node->skip_calls--;
	frame->start_ticks = 0;
	frame->child_ticks = 0;
	frame->before_ticks = thread->last_ticks;
	frame->first_ticks = 0;
	call_publish(thread, frame, ref);
}

/* The call of @frame, the top one, ends now. */
static ALWAYS_INLINE void adaptive_end(const struct log_header *log, struct log_thread *thread, struct log_frame *frame,
				       bool broken)
{
	struct log_node *node = node_at(log, frame->node);

	if (unlikely(frame->start_ticks)) {
		adaptive_end_timed(thread, frame, broken);
		return;
	}
	node->calls++;
	node->untimed_calls++;
	node->child_ticks += frame->child_ticks;
	if (unlikely(thread->last_ticks - frame->before_ticks >= log->threshold_ticks))
		adaptive_end_long(thread, frame, broken);
	else
		pop_frame(thread, frame);
}

#endif
