/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INSIDEME_SNAPSHOT=rss:every: RSS and VMS at the entry and the exit of each call that gets a record, from /proc/self/statm
 * and without the recorder's own part. Linux 6.2 to 6.15 tells RSS only to some 64 pages for each processor.
 */
#ifndef INSIDEME_RSS_AT_CALLS_H
#define INSIDEME_RSS_AT_CALLS_H

#include "preload/state/live.h"

/* A log begins: what its calls will know of memory. While there is one thread that may read. */
void memory_begin(const struct log_header *log);

/*
 * What the process has in memory now; LOG_NONE where it cannot be read: after a seccomp filter, without a descriptor. Makes a
 * system call of some 0.8 us. Keeps one descriptor of the process open, far behind its own. Callable anywhere.
 */
void memory_read(struct log_memory_reading *now);

/* Room for the readings of @nr_frames frames. Return: its ref, 0: there is none. */
uint32_t memory_new_area(const struct log_thread *thread, uint64_t nr_frames);

/* What was read at the entry of the call of @frame, which lies in @area. */
const struct log_memory_reading *memory_of(struct log_frames *area, const struct log_frame *frame);

/* The same of a frame in the thread's newest area: it is @now. */
void memory_keep(const struct log_thread *thread, const struct log_frame *frame, const struct log_memory_reading *now);

#endif
