/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INSIDEME_SNAPSHOT=rss:every: RSS and VMS at the entry and exit of each call that gets a record, from
 * /proc/self/statm, without the recorder's own part. In Linux 6.2 to 6.15, RSS is only exact to about 64
 * pages for each processor.
 */
#pragma once

#include "preload/state/live.h"

/* A log begins: what its calls will know about memory. Called while only one thread may read. */
void memory_begin(const struct log_header *log);

/*
 * Read the memory of the process now. LOG_NONE if it cannot be read: after a seccomp filter, or without a
 * descriptor. Makes a system call of about 0.8 us. Keeps one descriptor of the process open, far above the
 * program's own. Callable anywhere.
 */
void memory_read(struct log_memory_reading *now);

/* Room for the readings of @nr_frames frames. Return: its ref, 0: none */
uint32_t memory_new_area(const struct log_thread *thread, uint64_t nr_frames);

/* The reading at the entry of the call of @frame, which lies in @area. */
const struct log_memory_reading *memory_of(struct log_frames *area, const struct log_frame *frame);

/* Set the reading for a frame in the thread's newest area to @now. */
void memory_keep(const struct log_thread *thread, const struct log_frame *frame,
		 const struct log_memory_reading *now);
