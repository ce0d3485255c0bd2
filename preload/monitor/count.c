/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adding up calls. */
#include "monitor/count.h"

#include <stdio.h>

static uint64_t calls_in_area(const struct log_area *area)
{
	uint64_t used = area->used_bytes < area->bytes ? area->used_bytes : area->bytes, calls = 0;
	const struct log_node *node = (const struct log_node *)(area + 1);

	for (uint64_t at = sizeof(*area); at + sizeof(*node) <= used; at += sizeof(*node))
		calls += (node++)->calls;
	return calls;
}

uint64_t count_calls(const struct log_header *log, uint64_t reach)
{
	uint64_t at = log->header_bytes, end = log->tail_bytes, calls = 0;

	if (end > reach)
		end = reach;
	while (at + sizeof(struct log_area) <= end) {
		const struct log_area *area = (const struct log_area *)((const char *)log + at);

		if (area->magic != LOG_AREA_MAGIC || area->bytes < LOG_AREA_ALIGN || area->bytes > end - at) {
			at += LOG_AREA_ALIGN;
			continue;
		}
		if (area->kind == LOG_AREA_NODES)
			calls += calls_in_area(area);
		at += area->bytes;
	}
	return calls;
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
