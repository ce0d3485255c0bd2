/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all parts of the page use. */
#include "analyzer/page/page.h"

#include "analyzer/base/error.h"

struct block *page_block(struct page *page, const char *name)
{
	struct block *block = xcalloc(1, sizeof(*block));

	page->blocks = xgrow(page->blocks, page->nr_blocks, sizeof(struct block *));
	block_init(block, name);
	return page->blocks[page->nr_blocks++] = block;
}

const char *page_unit(enum unit unit)
{
	static const char *const names[] = {
		[UNIT_NONE] = "", [UNIT_COUNT] = "count", [UNIT_BYTES] = "bytes", [UNIT_NS] = "ns",
		[UNIT_PERCENT] = "percent", [UNIT_CORES] = "cores", [UNIT_COUNT_RATE] = "count/s",
		[UNIT_BYTES_RATE] = "bytes/s",
	};

	return names[unit];
}
