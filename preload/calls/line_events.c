/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/calls/line_events.h"

#include "preload/calls/line_focus.h"
#include "preload/calls/selection.h"
#include "preload/state/log_space.h"
#include "preload/state/recording_state.h"
#include "preload/state/rss_at_calls.h"

#define AREA_BYTES (256u << 10)

/* Only the thread adds, and handlers on it, so it needs no locked instruction. */
static ALWAYS_INLINE uint64_t take_room(struct log_area *area, uint64_t bytes)
{
#if defined(__x86_64__)
	__asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(area->used_bytes));
	return bytes;
#else
	return __atomic_fetch_add(&area->used_bytes, bytes, __ATOMIC_RELAXED);
#endif
}

static NOINLINE struct log_line_event *take_in_new_area(struct log_thread *thread)
{
	struct log_area *area = log_space_new_area(LOG_AREA_LINE_EVENTS, thread->head.self, AREA_BYTES,
						   sizeof(*area), sizeof(struct log_line_event));

	if (!area) {
		log_lose(live.log, LOG_LOST_LINE_EVENTS);
		return NULL;
	}
	area->next = thread->head.line_events;
	thread->head.line_events = area->self;
	return (struct log_line_event *)((char *)area + take_room(area, sizeof(struct log_line_event)));
}

static ALWAYS_INLINE struct log_line_event *take(struct log_thread *thread)
{
	struct log_area *area = log_at(live.log, thread->head.line_events);
	uint64_t at = thread->head.line_events ? take_room(area, sizeof(struct log_line_event)) : AREA_BYTES;

	if (unlikely(at + sizeof(struct log_line_event) > AREA_BYTES))
		return take_in_new_area(thread);
	return (struct log_line_event *)((char *)area + at);
}

static uint32_t pages(uint64_t bytes)
{
	return bytes == LOG_NONE ? UINT32_MAX : (uint32_t)(bytes / live.log->page_bytes);
}

void line_event_add(struct log_thread *thread, uintptr_t code, uintptr_t stack)
{
	struct log_memory_reading memory = { LOG_NONE, LOG_NONE };
	struct log_line_event *event;

	if ((selection_now()->has_focus && !line_focus_has(code)) || switched_off())
		return;
	if (live.reads_memory)
		memory_read(&memory);
	event = take(thread);
	if (!event)
		return;
	event->code_addr = code;
	event->stack_addr = stack;
	event->rss_pages = pages(memory.rss_bytes);
	event->vms_pages = pages(memory.vms_bytes);
	__atomic_store_n(&event->ticks, now_ticks(), __ATOMIC_RELEASE);
}
