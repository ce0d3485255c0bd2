/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the calling process uses, as getrusage() tells it, and the part of threads that read for us. */
#ifndef INSIDEME_RUSAGE_H
#define INSIDEME_RUSAGE_H

#include <stdint.h>

#include "preload/common/log/columns.h"

/* What reading threads of the process itself have used: no part of the program's figures. */
struct own_use {
	uint64_t user_ns, system_ns;
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t write_bytes;		/* not told here */
};

/* Of the calling process, the recorder's part and earlier images included. All 0: not told. */
struct usage_totals {
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t peak_rss_bytes;
};
void usage_read_totals(struct usage_totals *totals);

/* Adds what the calling thread has used. Return: 0, or -EINVAL. */
int own_use_add(struct own_use *own);

/* Times, faults and switches of the process less those of the calling thread and of @earlier ones. */
void own_use_read(const struct own_use *earlier, struct figures *figures);

/* The same of all its threads. Return: its peak RSS in bytes; LOG_NONE: not told, nor is anything else. */
uint64_t own_use_read_all(struct figures *figures);

/* Minor faults of children that the process has waited for, LOG_NONE: not told. */
uint64_t own_use_child_faults(void);

#endif
