/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns as data: the numbers that a row of each set holds. A new column of a source that is
 * already read is one line in columns.c and one field here, which the source's reader fills.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"

/* All numbers of a reading. LOG_NONE: could not be read. Each is explained at its column. */
struct figures {
	uint64_t cpu_ns, user_ns, system_ns;
	uint64_t rss_bytes, vms_bytes, mapped_bytes;
	uint64_t threads;
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t read_calls, write_calls, read_bytes, write_bytes, read_chars, write_chars;
	uint64_t heap_bytes;
	uint64_t peak_rss_bytes, swap_bytes;
	uint64_t descriptors, run_wait_ns;
	uint64_t netns_received_bytes, netns_received_packets, netns_sent_bytes, netns_sent_packets;
	uint64_t pss_bytes, uss_bytes, stack_bytes;
	uint64_t thread_cpu_ns, thread_wait_ns;
	uint64_t thread_read_bytes, thread_write_bytes, thread_read_chars, thread_write_chars;
	uint64_t thread_blocked_ns, thread_preempted_ns, thread_unseen_ns;
	uint64_t gpu_engine_ns, gpu_client_bytes;
	uint64_t monotonic_ns, realtime_ns;
	uint64_t system_cpu_busy_ns, system_cpu_total_ns, load_1min;
	uint64_t memory_used_bytes, memory_available_bytes, swap_used_bytes;
	uint64_t disk_reads, disk_read_bytes, disk_writes, disk_written_bytes;
	uint64_t net_received_bytes, net_received_packets, net_sent_bytes, net_sent_packets;
	uint64_t cpu_stall_ns, memory_stall_ns, memory_full_stall_ns, io_stall_ns, io_full_stall_ns;
	uint64_t temperature_celsius, energy_joules;
	uint64_t cgroup_memory_bytes, cgroup_memory_limit_bytes, cgroup_oom_kills;
	uint64_t cgroup_cpu_ns, cgroup_cpu_limit, cgroup_throttled_ns;
};

/* Set every number to LOG_NONE. */
void figures_clear(struct figures *figures);

struct column {
	const char *name;
	uint16_t unit;		/* enum log_unit */
	uint16_t kind;		/* enum log_column_kind */
	uint32_t place;		/* of its number in struct figures, or wherever else the set's numbers lie */
};

/*
 * In the order in which a step reads them. "thread" and "cores" stand for sets that are built at
 * run time.
 */
enum column_set_id {
	SET_CLOCK,
	SET_PROCESS,
	SET_MEMORY,
	SET_THREAD,
	SET_PROCESS_SLOW,
	SET_PROCESS_MAPS,
	SET_PROCESS_GPU,
	SET_SYSTEM,
	SET_CGROUP,
	SET_THREAD_OFF,		/* its rows are added together with those of SET_THREAD */
	NR_COLUMN_SETS,
};
#define COLUMNS_MAX 24

struct column_set {
	const char *name;
	const struct column *columns;
	uint32_t nr_columns;
	uint32_t room_shift;	/* its rows take at most the budget >> room_shift */
	uint32_t room_bytes;	/* and at most this */
	uint32_t first_bytes;	/* of its first area; a multiple of LOG_AREA_ALIGN */
	bool is_by_events; /* rows come when something happens: without room for all, those at which the curve
			      bends most stay */
};

extern const struct column_set column_sets[NR_COLUMN_SETS];

static inline uint64_t column_value(const struct column *column, const void *numbers)
{
	return *(const uint64_t *)((const char *)numbers + column->place);
}

/* Subtract from a figure the part that is not the program's. LOG_NONE stays LOG_NONE. */
static inline uint64_t figure_less(uint64_t all, uint64_t part)
{
	return all == LOG_NONE ? LOG_NONE : all > part ? all - part : 0;
}
