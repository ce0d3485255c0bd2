/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adding up calls, and samples of the heap. */
#include "monitor/count.h"

#include <stdio.h>

static uint64_t used_bytes(const struct log_area *area)
{
	return area->used_bytes < area->bytes ? area->used_bytes : area->bytes;
}

static void count_nodes(struct count *count, const struct log_area *area)
{
	for (uint64_t at = log_nodes_at(area); at + sizeof(struct log_node) <= used_bytes(area); at += sizeof(struct log_node))
		count->calls += ((const struct log_node *)((const char *)area + at))->calls;
}

/* What is sampled is an estimate of what the threads' roots, which have no samples, count exactly. */
static void count_heaps(struct count *count, const struct log_area *area)
{
	const struct log_heap *heap = (const struct log_heap *)(area + 1);

	for (uint64_t at = sizeof(*area); at + sizeof(*heap) <= used_bytes(area); at += sizeof(*heap), heap++) {
		count->stacks += heap->nr_samples;
		count->sampled_bytes += heap->nr_samples ? 0 : heap->alloc_bytes;
	}
}

void count_log(struct count *count, const struct log_header *log, uint64_t reach)
{
	uint64_t at = log->header_bytes, end = log->tail_bytes;
	bool is_sampled = log->heap_bytes == LOG_HEAP_SAMPLED;

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
		if (log_nodes_at(area))
			count_nodes(count, area);
		else if (area->kind == LOG_AREA_HEAPS && is_sampled)
			count_heaps(count, area);
		else if (area->kind == LOG_AREA_SAMPLES && used_bytes(area) > sizeof(*area))
			count->samples += (used_bytes(area) - sizeof(*area)) / sizeof(struct log_sample);
		at += area->bytes;
	}
}

/* @unit: of the numbers below a step of @step, then one per further step. */
static void format(char *text, double number, double limit, double step, const char *const *units)
{
	while (number >= limit && units[1]) {
		number /= step;
		units++;
		limit = step;
	}
	snprintf(text, COUNT_TEXT_BYTES, number < 100 && number != (uint64_t)number ? "%.1f%s" : "%.0f%s", number, *units);
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
