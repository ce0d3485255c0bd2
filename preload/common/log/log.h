/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Room in a mapped log: areas, growth, records. The program uses it on its own log, and
 * insideme-run on the logs of other processes; several writers may use one log at once. There are
 * no locks and no libc calls: it may be called from anywhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "insideme_log.h"
#include "preload/common/base/compiler.h"

static ALWAYS_INLINE void *log_at(const struct log_header *log, uint32_t ref)
{
	return (char *)log + ((uint64_t)ref << LOG_REF_SHIFT);
}

static ALWAYS_INLINE uint32_t log_ref(const struct log_header *log, const void *place)
{
	return (uint32_t)((uint64_t)((const char *)place - (const char *)log) >> LOG_REF_SHIFT);
}

/*
 * The first area at or behind *@at, which goes past it; begin with LOG_HEADER_BYTES. NULL: there is none.
 * Areas that are being claimed are left out.
 */
static inline struct log_area *log_next_area(struct log_header *log, uint64_t *at)
{
	const uint64_t tail = __atomic_load_n(&log->tail_bytes, __ATOMIC_ACQUIRE);

	while (*at < tail) {
		struct log_area *area = (struct log_area *)((char *)log + *at);
		bool is_area = __atomic_load_n(&area->magic, __ATOMIC_ACQUIRE) == LOG_AREA_MAGIC;

		*at += is_area ? area->bytes : LOG_AREA_ALIGN;
		if (is_area)
			return area;
	}
	return NULL;
}

/*
 * How far slices may fill the log. The rest is kept for counters of whole functions, which matter
 * longer than single calls.
 */
static inline uint64_t log_slice_share(const struct log_header *log)
{
	return log->map_bytes / 16 * 12;
}

/*
 * Make the file of @log reach at least @bytes, rounded up to the growth step. The pages are not touched.
 * @fd: the file, open for writing; -1: only where it is longer already, see long_bytes. It never grows past
 * the caller's limit on file sizes (SIGXFSZ). Return: 0, or -errno (-ENOSPC, -EFBIG, ..., or -ENOBUFS past
 * the budget).
 */
int log_grow(struct log_header *log, int fd, uint64_t bytes);

/*
 * Claim a new zeroed area of @bytes, rounded up to LOG_AREA_ALIGN. @owner: ref of a thread, or 0.
 * @record_bytes: as in struct log_area. @head_bytes: where used_bytes begins. Raises the threshold
 * when half of what remained of the budget is used. Return: NULL when the file does not reach that
 * far.
 */
struct log_area *log_claim(struct log_header *log, enum log_area_kind kind, uint32_t owner, uint64_t bytes,
			   uint32_t head_bytes, uint32_t record_bytes);

/*
 * Readings of RSS at each call need the log's own part of memory at any time. After this call,
 * every area that this process claims in @log is touched at once and counted in resident_bytes.
 * NULL ends that.
 */
void log_keep_in_memory(const struct log_header *log);

/* Count a loss. */
static ALWAYS_INLINE void log_lose(struct log_header *log, enum log_loss loss)
{
	__atomic_fetch_add(&log->losses[loss], 1, __ATOMIC_RELAXED);
}

/* Ask insideme-run for the stacks of all threads but @tid (0: of all), unless a request is open already. */
static inline void log_want_stacks(struct log_header *log, uint32_t tid)
{
	const uint32_t seen = __atomic_load_n(&log->stacks_wanted, __ATOMIC_ACQUIRE);

	if (seen != LOG_STACKS_NOT_WANTED && seen != LOG_STACKS_TAKEN)
		return;
	log->stacks_tid = tid;
	__atomic_store_n(&log->stacks_wanted, LOG_STACKS_WANTED, __ATOMIC_RELEASE);
}

/*
 * Raise the slice threshold four-fold (0 becomes log_header.threshold_floor_ticks) and record that
 * as an event. @seen: the threshold that the caller saw. Nothing happens if another writer has
 * raised it since.
 */
void log_raise_threshold(struct log_header *log, uint64_t seen, uint64_t reason, uint64_t now_ticks);

/*
 * Claim room for a record of @bytes, rounded up to 8, in the process's areas of records. The record
 * is zeroed and its bytes are set; the caller fills it and then calls log_publish(). Return: NULL
 * when there is no room (counted as LOG_LOST_RECORDS).
 */
struct log_record *log_new_record(struct log_header *log, uint32_t bytes, uint64_t now_ticks);
void log_publish(struct log_record *record, enum log_record_kind kind);
/* The same for an entry, which then is the first of the list of those in @log. */
void log_publish_entry(struct log_header *log, struct log_entry *entry);

/* Write "key=value" as a text record. Values longer than 128 KiB are cut. */
void log_write_text(struct log_header *log, const char *key, const char *value, uint64_t now_ticks);
/* Write an event. @values: @nr_values of them, at most 6. @text may be NULL. */
void log_write_event(struct log_header *log, enum log_event_kind event, uint32_t thread,
		     const uint64_t *values, int nr_values, const char *text, uint64_t now_ticks);
