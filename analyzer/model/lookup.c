/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks things up in a process: facts, rows, times. */
#include "analyzer/model/model.h"

#include <string.h>

#include "analyzer/model/memory_at.h"

const char *process_fact(const struct process *process, const char *key)
{
	for (size_t i = 0; i < process->nr_facts; i++)
		if (strcmp(process->facts[i].key, key) == 0)
			return process->facts[i].value;
	return NULL;
}

struct rowset *process_rowset(const struct process *process, const char *set)
{
	for (size_t i = 0; i < process->nr_rowsets; i++)
		if (strcmp(process->rowsets[i].set, set) == 0)
			return &process->rowsets[i];
	return NULL;
}

int64_t process_time(struct process *process, uint64_t ticks)
{
	return (int64_t)((uint64_t)timebase_monotonic_ns(&process->timebase, ticks) - (uint64_t)process->origin_ns);
}

uint64_t process_ticks(const struct process *process, int64_t time)
{
	return timebase_ticks(&process->timebase, (int64_t)((uint64_t)time + (uint64_t)process->origin_ns));
}

int64_t process_realtime_ns(struct process *process, uint64_t ticks)
{
	return timebase_realtime_ns(&process->timebase, ticks);
}

bool process_memory_at(struct process *process, uint64_t ticks, struct memory_reading *reading)
{
	struct rowset *rows = process_rowset(process, "memory");
	int64_t row = rows ? rowset_at(rows, ticks) : -1;
	int rss = rows ? rowset_column(rows, "rss_bytes") : -1, vms = rows ? rowset_column(rows, "vms_bytes") : -1;

	if (row < 0)
		return false;
	reading->rss_bytes = rss < 0 ? LOG_NONE : rowset_value(rows, (size_t)row, (uint32_t)rss);
	reading->vms_bytes = vms < 0 ? LOG_NONE : rowset_value(rows, (size_t)row, (uint32_t)vms);
	reading->age_ns = (double)(ticks - rows->ticks[row]) * process->tick_ns;
	return true;
}
