/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The total use of a process: from insideme-run, which saw its end, and from rows. */
#pragma once

#include "analyzer/model/model.h"

/*
 * The kernel's counters go on through an exec: if a process ran several programs, the last one has the sums.
 * Only the peak is of this program.
 */
struct usage usage_of_process(struct process *process);
/* Call it if the rows of @process have changed. */
void usage_forget_rows(struct process *process);
struct usage usage_of_unseen(const struct unseen_process *unseen);
/* Add up the numbers that both know. The larger of two known peaks stays. */
void usage_add(struct usage *sum, const struct usage *usage);

/*
 * RSS and VMS as last read at or before @ticks (set "memory", without the log itself). Return: false if
 * nothing was read by then.
 */
struct memory_reading {
	uint64_t rss_bytes;		/* LOG_NONE: not read */
	uint64_t vms_bytes;
	double age_ns;			/* time between the reading and @ticks */
};
bool process_memory_at(struct process *process, uint64_t ticks, struct memory_reading *reading);
