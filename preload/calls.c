/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rare parts of a call's end. */
#include "calls.h"

#include "helper.h"
#include "slices.h"

NOINLINE void call_begin_slowly(struct log_thread *thread, struct log_frame *frame)
{
	uint32_t node = path_find(thread, thread->current, frame->function_addr);

	call_start_clock(frame, call_timing());
	call_publish(thread, frame, node);
}

void call_end_top(struct log_thread *thread, bool broken)
{
	call_end(live.log, thread, top_frame(thread), call_timing(), broken);
}

/* The event lets the reader add 2^32 to the bucket: @values are the node and the bucket's index. */
static NOINLINE void bucket_wrapped(const struct log_thread *thread, const uint32_t *bucket)
{
	uint64_t offset = (uint64_t)((const char *)bucket - (const char *)live.log);
	uint64_t in_node = (offset - sizeof(struct log_area)) % sizeof(struct log_node);
	uint64_t index = (in_node - offsetof(struct log_node, histogram)) / sizeof(*bucket);
	uint64_t values[] = { (offset - in_node) >> LOG_REF_SHIFT, index };

	log_write_event(live.log, LOG_EVENT_BUCKET_WRAPPED, thread->head.self, values, 2, NULL, now_ticks());
}

NOINLINE void call_end_slowly(struct log_thread *thread, struct log_frame *frame, uint64_t end_ticks, bool broken,
			      const uint32_t *bucket)
{
	if (*bucket == 0)
		bucket_wrapped(thread, bucket);
	if (end_ticks - frame->start_ticks >= live.log->threshold_ticks)
		slice_write(thread, frame, end_ticks, broken);
	helper_poll(end_ticks);
	pop_frame(thread, frame);
}
