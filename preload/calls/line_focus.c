/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "preload/calls/line_focus.h"

#include "preload/common/log/log.h"

LARGE struct line_range line_ranges[LINE_RANGES_MAX];
uint32_t nr_line_ranges;

void line_focus_add(uintptr_t begin, uintptr_t end)
{
	uint32_t at = 0;

	while (at < nr_line_ranges && line_ranges[at].end)
		at++;
	if (at == LINE_RANGES_MAX)
		return;
	line_ranges[at].begin = begin;
	__atomic_store_n(&line_ranges[at].end, end, __ATOMIC_RELEASE);
	if (at == nr_line_ranges)
		__atomic_store_n(&nr_line_ranges, at + 1, __ATOMIC_RELEASE);
}

void line_focus_remove(uintptr_t begin, uintptr_t end)
{
	for (uint32_t i = 0; i < nr_line_ranges; i++)
		if (line_ranges[i].begin - begin < end - begin)
			__atomic_store_n(&line_ranges[i].end, 0, __ATOMIC_RELEASE);
}

bool line_focus_within(uintptr_t *begin, uintptr_t *end)
{
	uintptr_t first = *end, last = *begin;

	for (uint32_t i = 0; i < nr_line_ranges; i++) {
		const struct line_range *range = &line_ranges[i];

		if (!range->end || range->begin - *begin >= *end - *begin)
			continue;
		first = range->begin < first ? range->begin : first;
		last = range->end > last ? range->end : last;
	}
	*begin = first;
	*end = last;
	return first < last;
}
