/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process had in memory at an instant. */
#ifndef INSIDEME_MEMORY_AT_H
#define INSIDEME_MEMORY_AT_H

#include "analyzer/model/model.h"

/*
 * RSS and VMS as last read at or before @ticks (set "memory", without the log itself).
 * Return: false when there was no reading yet.
 */
struct memory_reading {
	uint64_t rss_bytes;		/* LOG_NONE: not read */
	uint64_t vms_bytes;
	double age_ns;			/* between the reading and @ticks */
};
bool process_memory_at(struct process *process, uint64_t ticks, struct memory_reading *reading);

#endif
