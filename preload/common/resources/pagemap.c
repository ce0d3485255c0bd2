/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The present bits of /proc/PID/pagemap. */
#include "preload/common/resources/pagemap.h"

#define ENTRIES	256u

int pagemap_count(int fd, struct source_count *count, uint64_t first, uint64_t nr_pages, uint64_t part_pages,
		  uint32_t *present)
{
	uint64_t entries[ENTRIES], seen = 0, part_end = part_pages;

	while (seen < nr_pages) {
		uint64_t wanted = nr_pages - seen < ENTRIES ? nr_pages - seen : ENTRIES;
		long length = sys_pread(fd, entries, wanted * sizeof(*entries), (first + seen) * sizeof(*entries));

		count->calls++;
		if (length < (long)sizeof(*entries))
			return length < 0 ? (int)length : 0;
		count->bytes += (uint64_t)length;
		length /= (long)sizeof(*entries);
		for (long i = 0; i < length; i++, seen++) {
			if (seen == part_end) {
				present++;
				part_end += part_pages;
			}
			*present += (uint32_t)(entries[i] >> 63);	/* the present bit */
		}
	}
	return 0;
}
