/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Logs made in memory. The entry of a process that had no log tells the same as the log would that it could have
 * written: so that log is made, and read as any other.
 */
#ifndef INSIDEME_MADE_LOG_H
#define INSIDEME_MADE_LOG_H

#include "analyzer/model/model.h"

#define IMAGE_BASE_ADDR	(1ull << 32)	/* of a program that was never there */
#define IMAGE_THREAD_AT	((uint64_t)LOG_HEADER_BYTES)

static inline uint64_t image_pages(uint64_t bytes)
{
	return (bytes + LOG_AREA_ALIGN - 1) / LOG_AREA_ALIGN * LOG_AREA_ALIGN;
}

/* The offset behind the thread's area. */
#define IMAGE_AFTER_THREAD	(IMAGE_THREAD_AT + image_pages(sizeof(struct log_thread)))

/* An area's head at @offset, which belongs to the thread. */
void image_set_area(uint8_t *image, uint64_t offset, uint32_t kind, uint64_t bytes, uint64_t used_bytes);

/* The thread, which is in the image, did with the heap what the entry says: an area at @offset. */
#define IMAGE_HEAPS_BYTES	LOG_AREA_ALIGN
void image_set_heap(uint8_t *image, uint64_t offset, const struct log_heap *entry);

/*
 * The header: that of @like but for what @child says, of a process whose log is @bytes long. @tick_ns: of a tick, for
 * processes that did not tell their end.
 */
void image_set_header(uint8_t *image, uint64_t bytes, const struct log_header *like, const struct log_child *child,
		      double tick_ns);

/* That of an entry, at @offset of @log, whose record is @bytes long. Return: whether it has one. */
bool image_heap(const struct logfile *log, uint64_t offset, const struct log_child *child, struct log_heap *heap);

/* Do the times of @child rise, and lie within those of @process, which holds the entry? */
bool image_is_sound(const struct process *process, const struct log_child *child);

#endif
