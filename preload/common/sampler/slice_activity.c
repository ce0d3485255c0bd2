/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out whether slices are being written. */
#include "preload/common/sampler/slice_activity.h"

#include "preload/common/log/log.h"

void activity_init(struct activity *activity, const struct log_header *log)
{
	activity->log = log;
	activity->seen_bytes = log->header_bytes;
	activity->newest = 0;
	activity->nr_threads = 0;
}

static const struct log_area *area_at(const struct log_header *log, uint64_t offset, uint64_t end)
{
	const struct log_area *area = (const struct log_area *)((const char *)log + offset);

	if (offset + sizeof(*area) > end || __atomic_load_n(&area->magic, __ATOMIC_ACQUIRE) != LOG_AREA_MAGIC)
		return NULL;
	return area->bytes >= LOG_AREA_ALIGN && area->bytes <= end - offset ? area : NULL;
}

/* Walk over the new areas. An area whose head is not yet written ends the walk until the next look. */
static bool find_threads(struct activity *activity, uint64_t tail)
{
	const struct log_area *area;
	bool has_slices = false;

	while ((area = area_at(activity->log, activity->seen_bytes, tail))) {
		if (area->kind == LOG_AREA_SLICES)
			has_slices = true;
		if (area->kind == LOG_AREA_THREAD && activity->nr_threads < ACTIVITY_THREADS)
			activity->threads[activity->nr_threads++] = area->self;
		activity->seen_bytes += area->bytes;
	}
	return has_slices;
}

static uint64_t newest_slice(const struct log_header *log, uint32_t thread_ref, uint64_t tail)
{
	const struct log_thread *thread = log_at(log, thread_ref);
	uint32_t ref = __atomic_load_n(&thread->slices[0], __ATOMIC_RELAXED);
	const struct log_slices *slices = log_at(log, ref);

	if (!ref || ((uint64_t)ref << LOG_REF_SHIFT) + sizeof(*slices) > tail)
		return 0;
	return __atomic_load_n(&slices->last_ticks, __ATOMIC_RELAXED);
}

bool activity_look(struct activity *activity)
{
	uint64_t tail = __atomic_load_n(&activity->log->tail_bytes, __ATOMIC_ACQUIRE), newest = 0;
	bool is_active;

	if (tail > activity->log->file_bytes)
		return false;
	is_active = find_threads(activity, tail);
	for (uint32_t i = 0; i < activity->nr_threads; i++)
		newest += newest_slice(activity->log, activity->threads[i], tail);
	is_active = is_active || newest != activity->newest;
	activity->newest = newest;
	return is_active;
}
