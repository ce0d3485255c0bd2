/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a thread was off its processor, from the kernel's records of its context switches. These are
 * exact to the microsecond, where samples only know sums. Only for readers outside the process,
 * because the kernel writes into a ring that is memory of the reader.
 */
#pragma once

#include <stdint.h>

#include "preload/common/log/rows_writer.h"

struct perf_event_mmap_page;

enum off_cpu_state {
	OFF_CPU_UNKNOWN,	/* before the first record */
	OFF_CPU_ON,
	OFF_CPU_BLOCKED,
	OFF_CPU_PREEMPTED,
	OFF_CPU_UNSEEN,		/* records were lost: the thread switched faster than they were read */
	NR_OFF_CPU_STATES,
};

struct off_cpu {
	struct perf_event_mmap_page *ring;	/* NULL: there are no records, or no more */
	uint64_t data_bytes;	/* of the ring's data, a power of two; its head is in the page before */
	struct log_header *log;
	enum off_cpu_state state;
	uint64_t since_ns;			/* when the state began; all times are of CLOCK_MONOTONIC */
	uint64_t told_ns;			/* time of the newest row */
	struct log_clocks now;			/* when the records were read last */
	uint64_t ended_ns[NR_OFF_CPU_STATES];	/* in intervals that are over; OFF_CPU_ON: not summed up */
	struct row_set rows;
	uint64_t last[3];
};

/*
 * Does nothing where the kernel does not allow it, or too many are open. The other functions then
 * do nothing either.
 */
void off_cpu_open(struct off_cpu *off, int tid, struct log_header *log);

/* Add rows for what happened since the last call. @log_fd: to grow the log. */
void off_cpu_read(struct off_cpu *off, int log_fd);

/* Read once more, then release the ring. */
void off_cpu_close(struct off_cpu *off, int log_fd);

/* Move @from to @to. */
void off_cpu_move(struct off_cpu *to, const struct off_cpu *from);
