/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walking over a log's records as they come. */
#include "preload/monitor/watch/log_entries.h"

#include <stdbool.h>
#include <stdlib.h>

#define STUCK_NS	100000000	/* whoever has not written a record by then was killed */

/* How far one area is read. */
struct entries_area {
	uint64_t offset, end;
	uint64_t at;
	int64_t stuck_ns;		/* since when the record there is not written; 0: it is */
};

void entries_init(struct entries *entries, const struct log_header *log, uint64_t mapped_bytes)
{
	*entries = (struct entries){ .log = log, .mapped_bytes = mapped_bytes, .seen_bytes = log->header_bytes };
}

void entries_release(struct entries *entries)
{
	free(entries->areas);
	*entries = (struct entries){ .log = NULL };
}

static const void *place(const struct entries *entries, uint64_t offset)
{
	return (const char *)entries->log + offset;
}

static bool add_area(struct entries *entries, uint64_t offset, uint64_t bytes)
{
	struct entries_area *areas = realloc(entries->areas, (entries->nr_areas + 1) * sizeof(*areas));

	if (!areas)
		return false;
	entries->areas = areas;
	areas[entries->nr_areas++] = (struct entries_area){ offset, offset + bytes, offset + sizeof(struct log_area), 0 };
	return true;
}

/* One whose head is not written yet ends the walk until the next look. */
static void find_areas(struct entries *entries)
{
	const struct log_header *log = entries->log;
	uint64_t end = __atomic_load_n(&log->tail_bytes, __ATOMIC_ACQUIRE);

	if (end > __atomic_load_n(&log->file_bytes, __ATOMIC_ACQUIRE) || end > entries->mapped_bytes)
		return;
	while (entries->seen_bytes + sizeof(struct log_area) <= end) {
		const struct log_area *area = place(entries, entries->seen_bytes);
		uint64_t bytes;

		if (__atomic_load_n(&area->magic, __ATOMIC_ACQUIRE) != LOG_AREA_MAGIC)
			return;
		bytes = area->bytes;
		if (bytes < LOG_AREA_ALIGN || bytes % LOG_AREA_ALIGN || bytes > end - entries->seen_bytes)
			return;
		if (area->kind == LOG_AREA_RECORDS && !add_area(entries, entries->seen_bytes, bytes))
			return;
		entries->seen_bytes += bytes;
	}
}

static bool is_late(struct entries_area *area, int64_t now_ns)
{
	if (!area->stuck_ns)
		area->stuck_ns = now_ns;
	return now_ns - area->stuck_ns >= STUCK_NS;
}

/*
 * Return: whether the area may get more. One that is full has a hole at its end, as large as the record for which there
 * was no room.
 */
static bool read_area(const struct entries *entries, struct entries_area *area, int64_t now_ns,
		      void (*each)(void *context, const struct log_entry *entry), void *context)
{
	const struct log_area *head = place(entries, area->offset);
	uint64_t claimed = area->offset + __atomic_load_n(&head->used_bytes, __ATOMIC_ACQUIRE);
	uint64_t used = claimed < area->end ? claimed : area->end;

	while (area->at + sizeof(struct log_record) <= used) {
		const struct log_record *record = place(entries, area->at);
		uint32_t kind = __atomic_load_n(&record->kind, __ATOMIC_ACQUIRE), bytes = record->bytes;
		bool is_whole = bytes >= sizeof(*record) && bytes % 8 == 0 && bytes <= area->end - area->at;

		if ((!kind || !is_whole) && !is_late(area, now_ns))
			return true;
		if (!is_whole)
			return claimed <= area->end;
		if (kind == LOG_RECORD_ENTRY && bytes >= sizeof(struct log_entry))
			each(context, (const struct log_entry *)record);
		area->at += bytes;
		area->stuck_ns = 0;
	}
	return claimed <= area->end && (area->at == area->offset + sizeof(*head) || head->self == entries->log->records);
}

void entries_look(struct entries *entries, int64_t now_ns, void (*each)(void *context, const struct log_entry *entry),
		  void *context)
{
	find_areas(entries);
	for (size_t i = 0; i < entries->nr_areas;) {
		if (read_area(entries, &entries->areas[i], now_ns, each, context))
			i++;
		else
			entries->areas[i] = entries->areas[--entries->nr_areas];
	}
}
