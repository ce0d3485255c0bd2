/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of a process that are read at a slow pace: its descriptors, its network namespace, its share of
 * pages.
 */
#pragma once

#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/proc_file.h"

struct details {
	int net_fd, maps_fd;
	int descriptors_fd;		/* the directory of its descriptors */
	struct read_count *count;
	uint32_t nr_readings;
	_Alignas(8) char buffer[8192];	/* also for entries of directories */
};

void details_open(struct details *details, int pid, struct read_count *count);
void details_close(struct details *details);

/* Each function sets the numbers that it can read and leaves the others alone. */
void details_read(struct details *details, struct figures *figures);
/*
 * PSS and USS, less @own_bytes, the recorder's. The kernel walks all page tables for them: 20 us to
 * 20 ms. If another process has mapped the log too, part of its pages was counted for that process,
 * and the result is a little too low.
 */
void details_read_maps(struct details *details, uint64_t own_bytes, struct figures *figures);
