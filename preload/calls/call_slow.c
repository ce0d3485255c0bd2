/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that begin and end in no hook's fast way. */
#include "preload/calls/call_slow.h"

#include "preload/calls/counted.h"
#include "preload/state/rss_at_calls.h"

NOINLINE void call_begin_slowly(struct log_thread *thread, struct log_frame *frame)
{
	call_begin_on_path(thread, frame, path_find(thread, thread->current, frame->function_addr));
}

void call_begin_on_path(struct log_thread *thread, struct log_frame *frame, uint32_t ref)
{
	struct log_node *node = node_at(live.log, ref);
	const bool is_counted = live.timing == LOG_TIMING_AUTO && counted_is(node->function);
	struct log_memory_reading now;

	if (is_counted && !counted_has_frames(node->function)) {
		counted_add(node);
		thread->top_addr = (uint64_t)(frame - 1);
		return;
	}
	if (unlikely(live.reads_memory)) {
		memory_read(&now);
		memory_keep(thread, frame, &now);
	}
	if (is_counted)
		call_start_untimed(frame);
	else
		call_start_clock(frame, call_timing());
	call_publish(thread, frame, ref);
}

/* The counters of the call of @frame: of its path, or of the place that it came from. */
static struct log_node *counters_of(struct log_thread *thread, const struct log_frame *frame)
{
	if (!live.has_call_places || frame->function_addr & LOG_FUNCTION_REGION)
		return node_at(live.log, frame->node);
	return call_place_find(thread, call_place_of(frame));
}

void call_end_untimed(struct log_thread *thread)
{
	struct log_frame *frame = top_frame(thread);

	call_close_untimed(thread, frame, counters_of(thread, frame));
}

void call_end_top(struct log_thread *thread, bool broken)
{
	struct log_frame *frame = top_frame(thread);
	struct log_node *node = counters_of(thread, frame);
	enum call_timing timing = call_timing();
	uint64_t end_ticks, ticks;
	uint32_t *bucket;

	if (timing == TIME_NOT || !frame->start_ticks) {
		call_end_untimed(thread);
		return;
	}
	node->calls++;
	end_ticks = call_clock(timing);
	ticks = end_ticks - frame->start_ticks;
	add_duration(node, ticks, frame->child_ticks);
	frame[-1].child_ticks += ticks;
	bucket = &node->histogram[bucket_of(ticks)];
	++*bucket;
	call_end_slowly(thread, frame, end_ticks, broken, bucket);
}

void call_drop_top(struct log_thread *thread)
{
	struct log_frame *frame = top_frame(thread);
	struct log_node *node = node_at(live.log, frame->node);
	struct counted_function *function = &counted_functions[node->function];

	if (function->nr_open)
		function->nr_open--;
	call_end_untimed(thread);
}
