/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up calls, and samples of the heap. */
#include "preload/monitor/tools/totals.h"

#include <stdio.h>

static uint64_t used_bytes(const struct log_area *area)
{
	return area->used_bytes < area->bytes ? area->used_bytes : area->bytes;
}

static void count_nodes(struct count *count, const struct log_area *area, uint64_t at)
{
	for (; at + sizeof(struct log_node) <= used_bytes(area); at += sizeof(struct log_node))
		count->calls += ((const struct log_node *)((const char *)area + at))->calls;
}

/* Calls that changed call sites counted, or what of these is not to be counted. */
static void count_sites(struct count *count, const struct log_header *log, const struct log_area *area)
{
	const bool is_uncounted = area->kind == LOG_AREA_UNCOUNTED;
	const uint64_t *words = (const uint64_t *)(area + 1);

	for (uint64_t i = 0; sizeof(*area) + (i + 1) * sizeof(*words) <= used_bytes(area); i++)
		count->calls += is_uncounted ? -words[i] : log->off_since_ticks ? 0 : words[i];
}

/* Samples are an estimate. The roots of threads have no samples and count exactly. */
static void count_heaps(struct count *count, const struct log_area *area)
{
	const struct log_heap *heap = (const struct log_heap *)(area + 1);

	for (uint64_t at = sizeof(*area); at + sizeof(*heap) <= used_bytes(area);
	     at += sizeof(*heap), heap++) {
		count->stacks += heap->nr_samples;
		count->sampled_bytes += heap->nr_samples ? 0 : heap->alloc_bytes;
	}
}

struct log_view {
	const struct log_header *header;
	uint64_t reach;
};

/* Return: NULL when there is no such area. */
static const void *area_at(const struct log_view *log, uint32_t ref, enum log_area_kind kind, uint64_t bytes)
{
	uint64_t at = (uint64_t)ref << LOG_REF_SHIFT;
	const struct log_area *area = (const struct log_area *)((const char *)log->header + at);

	return ref && at + bytes <= log->reach && area->magic == LOG_AREA_MAGIC && area->kind == kind ? area
												      : NULL;
}

/*
 * Walk from the top down. A sentinel is the first frame of its area; the frames below it end the
 * area below.
 */
static uint64_t count_frames(const struct log_view *log, uint64_t top_addr, uint32_t current)
{
	uint64_t at = top_addr - log->header->base_addr, nr = 0;

	for (uint64_t steps = log->reach / sizeof(struct log_frame); steps > 0; steps--) {
		const struct log_frame *frame = (const struct log_frame *)((const char *)log->header + at);
		const struct log_frames *area;

		if (at % sizeof(*frame) || at < sizeof(*area) || at > log->reach - sizeof(*frame))
			return nr;
		if (frame->function_addr) {
			/* Otherwise the call is being pushed or popped */
			nr += nr > 0 || frame->node == current;
			at -= sizeof(*frame);
			continue;
		}
		area = (const struct log_frames *)(const void *)frame - 1;
		area = area->head.kind == LOG_AREA_FRAMES
			       ? area_at(log, area->below, LOG_AREA_FRAMES, sizeof(*area))
			       : NULL;
		if (!area)
			return nr;
		at = (uint64_t)((const char *)area - (const char *)log->header) + area->head.bytes -
		     sizeof(*frame);
	}
	return nr;
}

/* @stack is the first area of a stack. Calls that never returned are calls for the report, too. */
static void count_open(struct count *count, const struct log_view *log, const struct log_frames *stack)
{
	const struct log_thread *thread = area_at(log, stack->head.owner, LOG_AREA_THREAD, sizeof(*thread));
	const struct log_frames *runs_on;

	if (!thread || (const void *)stack != area_at(log, stack->stack, LOG_AREA_FRAMES, sizeof(*stack)))
		return;
	runs_on = area_at(log, thread->frames, LOG_AREA_FRAMES, sizeof(*runs_on));
	if (runs_on && runs_on->stack == stack->stack)
		count->calls += count_frames(log, thread->top_addr, thread->current);
	else
		count->calls += count_frames(log, stack->top_addr, stack->current);
}

void count_log(struct count *count, const struct log_header *log, uint64_t reach)
{
	uint64_t at = log->header_bytes, end = log->tail_bytes;
	bool is_sampled = log->heap_bytes == LOG_HEAP_SAMPLED;
	bool has_calls = log->has_hooks;	/* others have library calls that wait, no more */

	count->is_sampled |= is_sampled;
	count->log_bytes += end;
	if (end > reach)
		end = reach;
	while (at + sizeof(struct log_area) <= end) {
		const struct log_area *area = (const struct log_area *)((const char *)log + at);

		if (area->magic != LOG_AREA_MAGIC || area->bytes < LOG_AREA_ALIGN || area->bytes > end - at) {
			at += LOG_AREA_ALIGN;
			continue;
		}
		if (log_nodes_at(area) && has_calls)
			count_nodes(count, area, log_nodes_at(area));
		else if (area->kind == LOG_AREA_CALL_PLACES && has_calls)
			count_nodes(count, area, sizeof(*area));
		else if (area->kind == LOG_AREA_COUNTERS || area->kind == LOG_AREA_UNCOUNTED)
			count_sites(count, log, area);
		else if (has_calls && area->kind == LOG_AREA_FRAMES &&
			 area->bytes > sizeof(struct log_frames))
			count_open(count, &(struct log_view){ log, end }, (const struct log_frames *)area);
		else if (area->kind == LOG_AREA_HEAPS && is_sampled)
			count_heaps(count, area);
		else if (area->kind == LOG_AREA_SAMPLES && used_bytes(area) > sizeof(*area))
			count->samples += (used_bytes(area) - sizeof(*area)) / sizeof(struct log_sample);
		at += area->bytes;
	}
}

/* @units: the first is for numbers below @limit, the next for those below @step of it, and so on. */
static void format(char *text, double number, double limit, double step, const char *const *units)
{
	while (number >= limit && units[1]) {
		number /= step;
		units++;
		limit = step;
	}
	snprintf(text, COUNT_TEXT_BYTES, number < 100 && number != (uint64_t)number ? "%.1f%s" : "%.0f%s",
		 number, *units);
}

void format_count(char *text, uint64_t count)
{
	static const char *const units[] = { "", " k", " M", " G", " T", NULL };

	format(text, (double)count, 10000, 1000, units);
}

void format_bytes(char *text, uint64_t bytes)
{
	static const char *const units[] = { " B", " KiB", " MiB", " GiB", " TiB", NULL };

	format(text, (double)bytes, 1024, 1024, units);
}
