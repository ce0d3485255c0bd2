/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The present bits of /proc/PID/pagemap. */
#include "resources/pagemap.h"

#define ENTRIES	256u

long pagemap_count(int fd, struct source_count *count, uint64_t first, uint64_t nr_pages)
{
	long present = 0;

	while (nr_pages) {
		uint64_t entries[ENTRIES], wanted = nr_pages < ENTRIES ? nr_pages : ENTRIES;
		long length = sys_pread(fd, entries, wanted * sizeof(*entries), first * sizeof(*entries));

		count->calls++;
		if (length < (long)sizeof(*entries))
			return length < 0 ? length : present;
		count->bytes += (uint64_t)length;
		length /= (long)sizeof(*entries);
		for (long i = 0; i < length; i++)
			present += (long)(entries[i] >> 63);	/* the present bit */
		first += (uint64_t)length;
		nr_pages -= (uint64_t)length;
	}
	return present;
}
