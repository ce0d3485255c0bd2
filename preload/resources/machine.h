/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine uses as a whole: processors, memory, swap, disks. */
#ifndef INSIDEME_RESOURCES_MACHINE_H
#define INSIDEME_RESOURCES_MACHINE_H

#include <stdint.h>

#include "resources/columns.h"
#include "resources/source.h"

#define MACHINE_DISKS 64

struct machine {
	int stat_fd, meminfo_fd, loadavg_fd, diskstats_fd;
	uint32_t nr_disks;
	char disks[MACHINE_DISKS][32];	/* whole devices with hardware behind them, as found at the start */
	struct source_count *count;
	char buffer[4096];
};

/* @count: where the reads are counted; kept. */
void machine_open(struct machine *machine, struct source_count *count);
void machine_close(struct machine *machine);
/* Sets the numbers of the set "system" that can be read. */
void machine_read(struct machine *machine, struct figures *figures);

#endif
