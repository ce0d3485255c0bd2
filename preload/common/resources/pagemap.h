/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which pages of a process are in its memory. */
#ifndef INSIDEME_RESOURCES_PAGEMAP_H
#define INSIDEME_RESOURCES_PAGEMAP_H

#include <stdint.h>

#include "preload/common/resources/source.h"

/*
 * Of @nr_pages pages from number @first on; @fd is the process's /proc/PID/pagemap. Some 3 us for 256 pages. How many of
 * each @part_pages is added to @present[0], [1], ... Return: 0, or -errno.
 */
int pagemap_count(int fd, struct source_count *count, uint64_t first, uint64_t nr_pages, uint64_t part_pages,
		  uint32_t *present);

#endif
