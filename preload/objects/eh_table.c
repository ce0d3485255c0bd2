/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * .eh_frame_hdr, as all linkers write it, is a sorted table of pairs, each relative to its begin: a function,
 * and its entry in .eh_frame. That entry has the function's address again, relative to its own place, and its
 * length.
 *
 * Programs whose tables are wrong run on until something is thrown. So tables are not trusted: one may be
 * cut, or lead anywhere.
 */
#include "preload/objects/eh_table.h"

#define HEAD_BYTES 12u	/* before the pairs */
#define ENTRY_BYTES 16u /* in an entry: its size, that of its head, the function's begin and size */

struct function_range eh_table_find(const struct eh_table *table, uintptr_t addr)
{
	const uint8_t *head = (const uint8_t *)table->begin;
	const int32_t *pairs = (const int32_t *)(table->begin + HEAD_BYTES), *entry;
	struct function_range range = { 0, 0 };
	uint32_t low = 0, high;

	if (!head || table->high - table->begin < HEAD_BYTES || head[0] != 1 || head[1] != 0x1b ||
	    head[2] != 0x03 || head[3] != 0x3b)
		return range;
	high = *(const uint32_t *)(head + 8);
	if (high > (table->high - (uintptr_t)pairs) / (2 * sizeof(*pairs)))
		return range;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table->begin + (uintptr_t)(intptr_t)pairs[2 * middle] <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return range;
	entry = (const int32_t *)(table->begin + (uintptr_t)(intptr_t)pairs[2 * (low - 1) + 1]);
	range.begin = table->begin + (uintptr_t)(intptr_t)pairs[2 * (low - 1)];
	if ((uintptr_t)entry < table->low || (uintptr_t)entry > table->high - ENTRY_BYTES)
		return range;
	if ((uintptr_t)&entry[2] + (uintptr_t)(intptr_t)entry[2] == range.begin &&
	    addr - range.begin < (uint32_t)entry[3])
		range.end = range.begin + (uint32_t)entry[3];
	return range;
}
