/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The use of resources by the calling process, from getrusage(), and the part of it that belongs to threads
 * that read for us.
 */
#pragma once

#include <stdint.h>

#include "preload/common/log/columns.h"

/* Used by the process's own reading threads. It is no part of the program's figures. */
struct own_use {
	uint64_t user_ns, system_ns;
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t write_bytes;		/* not filled here */
};

/* Totals of the calling process, including the recorder's part and earlier images. All 0: not known. */
struct usage_totals {
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t peak_rss_bytes;
};
void usage_read_totals(struct usage_totals *totals);

/* Add what the calling thread has used. Return: 0, or -EINVAL. */
int own_use_add(struct own_use *own);

/* Times, faults and switches of the process, less those of the calling thread and of @earlier. */
void own_use_read(const struct own_use *earlier, struct figures *figures);

/*
 * The same, with all threads of the process. Return: its peak RSS in bytes; LOG_NONE: nothing is
 * known.
 */
uint64_t own_use_read_all(struct figures *figures);

/* Minor faults of children that the process has waited for. LOG_NONE: not known. */
uint64_t own_use_child_faults(void);
