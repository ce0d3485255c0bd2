/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that begin and end in no hook's fast way. */
#include "preload/calls/call_slow.h"

#include "preload/calls/adaptive.h"
#include "preload/state/rss_at_calls.h"

NOINLINE void call_begin_slowly(struct log_thread *thread, struct log_frame *frame)
{
	uint32_t node = path_find(thread, thread->current, frame->function_addr);
	enum call_timing timing = call_timing();
	struct log_memory_reading now;

	if (unlikely(live.reads_memory)) {
		memory_read(&now);
		memory_keep(thread, frame, &now);
	}
	if (timing == TIME_SOME) {
		adaptive_begin(live.log, thread, frame, node);
		return;
	}
	call_start_clock(frame, timing);
	call_publish(thread, frame, node);
}

void call_end_top(struct log_thread *thread, bool broken)
{
	if (call_timing() == TIME_SOME)
		adaptive_end(live.log, thread, top_frame(thread), broken);
	else
		call_end(live.log, thread, top_frame(thread), call_timing(), broken);
}
