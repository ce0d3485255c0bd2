/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The use of the machine as a whole: processors, memory, swap, disks, networks, pressure, sensors; and each
 * processor.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/log/columns.h"
#include "preload/common/resources/sensors.h"
#include "preload/common/resources/proc_file.h"

#define MACHINE_DISKS 64
#define MACHINE_CORES 512	/* processors beyond these are in the sum alone */

/* The set "cores": one column for each processor that existed when it was opened. */
struct machine_cores {
	struct column_set set;
	struct column columns[MACHINE_CORES];
	char names[MACHINE_CORES][20];
	uint32_t numbers[MACHINE_CORES];
	uint64_t busy_ns[MACHINE_CORES];	/* the newest reading; LOG_NONE: off line */
};

struct machine {
	int stat_fd, meminfo_fd, loadavg_fd, diskstats_fd, net_fd;
	int cpu_pressure_fd, memory_pressure_fd, io_pressure_fd;
	struct sensors sensors;
	struct machine_cores cores;
	uint32_t nr_disks;
	char disks[MACHINE_DISKS][32];	/* whole devices with hardware behind them, as found at the start */
	struct read_count *count;
	uint64_t slow_due_ns;		/* CLOCK_MONOTONIC */
	_Alignas(8) char buffer[65536];		/* also for entries of directories */
};

/* @count counts the reads and must stay valid. @has_network: read the networks too. */
void machine_open(struct machine *machine, struct read_count *count, bool has_network);
void machine_close(struct machine *machine);
/* Decide which processors have columns. Call it once, after the first machine_open(). */
void machine_find_cores(struct machine *machine);
/* Set those numbers of the set "system" that can be read, and the cores'. */
void machine_read(struct machine *machine, struct figures *figures);
