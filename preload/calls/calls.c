/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rare parts of a call's end. */
#include "preload/calls/calls.h"

#include "preload/calls/selection.h"
#include "preload/calls/slices.h"
#include "preload/calls/verbose_calls.h"
#include "preload/state/sampler_task.h"

NOINLINE void call_end_slowly(struct log_thread *thread, struct log_frame *frame, uint64_t end_ticks,
			      bool broken, const uint32_t *bucket)
{
	struct log_frame ended;

	if (*bucket == 0)
		path_bucket_wrapped(thread, bucket);
	if (end_ticks - frame->start_ticks >= live.log->threshold_ticks)
		slice_write(thread, frame, end_ticks, broken);
	sampler_task_poll(end_ticks);
	selection_poll(live.log);
	ended = *frame;
	pop_frame(thread, frame);
	if (unlikely(calls_are_heard()))
		call_tell(thread, &ended, end_ticks, broken);
}
