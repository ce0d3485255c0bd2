/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Claims room in a mapped log: growth of the file, areas, records. Lock-free, since several writers
 * share one log.
 */
#include "preload/common/log/log.h"

#include <errno.h>

#include "preload/common/base/clock.h"
#include "preload/common/base/syscalls.h"
#include "preload/common/base/text.h"

#define POPULATE_WRITE	23	/* MADV_POPULATE_WRITE of Linux 5.14, which older headers lack */
#define STEP_FIRST	(64u << 10)
#define STEP_LAST	(4u << 20)
#define RECORDS_BYTES	(16u << 10)
#define TEXT_MAX	(128u << 10)

/* The growth step: as much as the file has, between STEP_FIRST and STEP_LAST. */
static uint64_t growth_step(uint64_t file_bytes)
{
	uint64_t step = STEP_FIRST;

	while (step < STEP_LAST && step * 4 <= file_bytes)
		step *= 2;
	return step;
}

/* The file is long enough, but has no blocks there. Without room this fails, where a write would kill. */
static long fill(struct log_header *log, uint64_t reached, uint64_t target)
{
	if (target > log->long_bytes)
		return -EBADF;
	return sys_madvise((char *)log + reached, target - reached, POPULATE_WRITE);
}

static long extend(int fd, uint64_t reached, uint64_t target)
{
	return target > sys_limit(RLIMIT_FSIZE) ? -EFBIG : sys_fallocate(fd, reached, target - reached);
}

int log_grow(struct log_header *log, int fd, uint64_t bytes)
{
	uint64_t reached = __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE);
	uint64_t step = fd < 0 ? STEP_FIRST : growth_step(reached);
	uint64_t map_bytes = __atomic_load_n(&log->map_bytes, __ATOMIC_RELAXED);
	uint64_t target = (bytes + step - 1) / step * step;
	long error;

	if (bytes > map_bytes)
		return -ENOBUFS;
	if (bytes <= reached)
		return 0;
	if (target > map_bytes)
		target = map_bytes;
	error = fd < 0 ? fill(log, reached, target) : extend(fd, reached, target);
	if (error < 0) {
		log_lose(log, LOG_LOST_GROWTH);
		return (int)error;
	}
	while (reached < target && !__atomic_compare_exchange_n(&log->file_bytes, &reached, target, false,
								__ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		;
	return 0;
}

void log_raise_threshold(struct log_header *log, uint64_t seen, uint64_t reason, uint64_t now_ticks)
{
	uint64_t next = seen ? seen * 4 : log->threshold_floor_ticks;
	uint64_t values[] = { next, seen, reason };

	if (__atomic_compare_exchange_n(&log->threshold_ticks, &seen, next, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		log_write_event(log, LOG_EVENT_THRESHOLD, 0, values, 3, NULL, now_ticks);
}

/*
 * Each time that half of the remaining share of slices is used, raise the threshold: calls must
 * last longer to get a slice.
 */
static void step_budget(struct log_header *log, uint64_t tail)
{
	uint64_t step = __atomic_load_n(&log->next_step_bytes, __ATOMIC_RELAXED);
	uint64_t left = log_slice_share(log) > tail ? log_slice_share(log) - tail : 0, next = tail + left / 2;

	if (tail < step || left < LOG_AREA_ALIGN)
		return;
	if (__atomic_compare_exchange_n(&log->next_step_bytes, &step, next, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		log_raise_threshold(log, __atomic_load_n(&log->threshold_ticks, __ATOMIC_RELAXED),
				    LOG_THRESHOLD_BUDGET, clock_ticks(log->clock));
}

static const struct log_header *kept_in_memory;

void log_keep_in_memory(const struct log_header *log)
{
	kept_in_memory = log;
}

static void bring_in(struct log_header *log, struct log_area *area, uint64_t bytes)
{
	if (log != kept_in_memory)
		return;
	for (uint64_t at = 0; at < bytes; at += LOG_AREA_ALIGN)
		*((volatile uint8_t *)area + at) = 0;
	__atomic_fetch_add(&log->resident_bytes, bytes, __ATOMIC_RELAXED);
}

struct log_area *log_claim(struct log_header *log, enum log_area_kind kind, uint32_t owner, uint64_t bytes,
			   uint32_t head_bytes, uint32_t record_bytes)
{
	uint64_t size = (bytes + LOG_AREA_ALIGN - 1) & ~(uint64_t)(LOG_AREA_ALIGN - 1);
	uint64_t tail = __atomic_load_n(&log->tail_bytes, __ATOMIC_ACQUIRE);	/* read before file_bytes */
	struct log_area *area;

	do {
		if (tail + size > __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE) ||
		    tail + size > __atomic_load_n(&log->map_bytes, __ATOMIC_ACQUIRE))
			return NULL;
	} while (!__atomic_compare_exchange_n(&log->tail_bytes, &tail, tail + size, true, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	area = (struct log_area *)((char *)log + tail);
	bring_in(log, area, size);
	area->self = log_ref(log, area);
	area->kind = kind;
	area->owner = owner;
	area->bytes = size;
	area->used_bytes = head_bytes;
	area->record_bytes = record_bytes;
	__atomic_store_n(&area->magic, LOG_AREA_MAGIC, __ATOMIC_RELEASE);
	step_budget(log, tail + size);
	return area;
}

struct log_record *log_new_record(struct log_header *log, uint32_t bytes, uint64_t now_ticks)
{
	uint32_t newest = __atomic_load_n(&log->records, __ATOMIC_ACQUIRE);
	uint32_t size = (bytes + 7) & ~7u;
	struct log_area *area = log_at(log, newest);
	struct log_record *record;
	uint64_t place;

	place = newest ? __atomic_fetch_add(&area->used_bytes, size, __ATOMIC_RELAXED) : 0;
	if (!newest || place + size > area->bytes) {
		uint64_t room = sizeof(*area) + size;

		area = log_claim(log, LOG_AREA_RECORDS, 0, room > RECORDS_BYTES ? room : RECORDS_BYTES,
				 (uint32_t)sizeof(*area) + size, 0);
		if (!area) {
			log_lose(log, LOG_LOST_RECORDS);
			return NULL;
		}
		place = sizeof(*area);
		/*
		 * If another writer was faster, its area is the one used from now on, and ours
		 * holds only this record.
		 */
		__atomic_compare_exchange_n(&log->records, &newest, area->self, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
	}
	record = (struct log_record *)((char *)area + place);
	record->bytes = size;
	record->ticks = now_ticks;
	return record;
}

void log_publish(struct log_record *record, enum log_record_kind kind)
{
	__atomic_store_n(&record->kind, (uint32_t)kind, __ATOMIC_RELEASE);
}

void log_publish_entry(struct log_header *log, struct log_entry *entry)
{
	const uint32_t place = (uint32_t)(((char *)entry - (char *)log) / 8);

	entry->older = __atomic_load_n(&log->entries, __ATOMIC_RELAXED);
	log_publish(&entry->record, LOG_RECORD_ENTRY);
	while (!__atomic_compare_exchange_n(&log->entries, &entry->older, place, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

void log_write_text(struct log_header *log, const char *key, const char *value, uint64_t now_ticks)
{
	size_t length = text_length(key) + 1 + text_length(value);
	struct log_text *record;
	struct text text;

	if (length > TEXT_MAX)
		length = TEXT_MAX;
	record = (struct log_text *)log_new_record(log, (uint32_t)(sizeof(*record) + length + 1), now_ticks);
	if (!record)
		return;
	record->text_bytes = (uint32_t)length + 1;
	text_init(&text, (char *)(record + 1), length + 1);
	text_add(&text, key);
	text_add_char(&text, '=');
	text_add(&text, value);
	log_publish(&record->record, LOG_RECORD_TEXT);
}

void log_write_event(struct log_header *log, enum log_event_kind event, uint32_t thread,
		     const uint64_t *values, int nr_values, const char *text, uint64_t now_ticks)
{
	size_t length = text ? text_length(text) + 1 : 0;
	struct log_event *record;

	if (length > TEXT_MAX)
		length = TEXT_MAX;
	record = (struct log_event *)log_new_record(log, (uint32_t)(sizeof(*record) + length), now_ticks);
	if (!record)
		return;
	record->event = event;
	record->thread = thread;
	for (int i = 0; i < nr_values; i++)
		record->values[i] = values[i];
	record->text_bytes = (uint32_t)length;
	if (text)
		text_copy((char *)(record + 1), length, text);
	log_publish(&record->record, LOG_RECORD_EVENT);
}
