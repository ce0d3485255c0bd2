/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code of functions that INSIDEME_FOCUS names, for line events: ranges of addresses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/base/compiler.h"

#define LINE_RANGES_MAX 1024u

struct line_range {
	uintptr_t begin, end; /* end 0: free; written last */
};
extern HIDDEN struct line_range line_ranges[LINE_RANGES_MAX];
extern HIDDEN uint32_t nr_line_ranges; /* atomic */

/*
 * Add the code of a function, or of an object; remove that of an unloaded object. Called by one task at a
 * time.
 */
void line_focus_add(uintptr_t begin, uintptr_t end);
void line_focus_remove(uintptr_t begin, uintptr_t end);

/* Cut the range @begin to @end down to code of the focus. Return: false: it has none. */
bool line_focus_within(uintptr_t *begin, uintptr_t *end);

static ALWAYS_INLINE bool line_focus_has(uintptr_t code)
{
	const uint32_t nr = __atomic_load_n(&nr_line_ranges, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++) {
		uintptr_t end = __atomic_load_n(&line_ranges[i].end, __ATOMIC_ACQUIRE);

		if (code < end && code >= line_ranges[i].begin)
			return true;
	}
	return false;
}
