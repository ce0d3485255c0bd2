/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of columns. */
#include "preload/common/log/columns.h"

#include <stddef.h>

#include "preload/common/base/compiler.h"

#define COLUMN(field, unit, kind) { #field, LOG_UNIT_##unit, LOG_##kind, offsetof(struct figures, field) }

/* All these leave out the recorder's own part: the memory of its log, and what its thread uses. */
static const struct column process_columns[] = {
	COLUMN(cpu_ns, NS, CUMULATIVE),	/* exact; user and system below may have steps of 10 ms */
	COLUMN(user_ns, NS, CUMULATIVE),
	COLUMN(system_ns, NS, CUMULATIVE),
	COLUMN(rss_bytes, BYTES, GAUGE),
	COLUMN(vms_bytes, BYTES, GAUGE),
	COLUMN(threads, COUNT, GAUGE),
	COLUMN(minor_faults, COUNT, CUMULATIVE),
	COLUMN(major_faults, COUNT, CUMULATIVE),
	COLUMN(voluntary_switches, COUNT, CUMULATIVE),
	COLUMN(involuntary_switches, COUNT, CUMULATIVE),
	COLUMN(read_calls, COUNT, CUMULATIVE),		/* read() and similar calls, on any file */
	COLUMN(write_calls, COUNT, CUMULATIVE),
	COLUMN(read_bytes, BYTES, CUMULATIVE),		/* from storage, not from the page cache */
	COLUMN(write_bytes, BYTES, CUMULATIVE),
	COLUMN(read_chars, BYTES, CUMULATIVE),		/* bytes that the calls returned, on any file */
	COLUMN(write_chars, BYTES, CUMULATIVE),
	COLUMN(heap_bytes, BYTES, GAUGE),
	/* The part of RSS that is pages of files or of shared memory */
	COLUMN(mapped_bytes, BYTES, GAUGE),
};

static const struct column memory_columns[] = {
	COLUMN(rss_bytes, BYTES, GAUGE),
	COLUMN(vms_bytes, BYTES, GAUGE),
};

static const struct column process_slow_columns[] = {
	COLUMN(peak_rss_bytes, BYTES, GAUGE),
	COLUMN(swap_bytes, BYTES, GAUGE),
	COLUMN(descriptors, COUNT, GAUGE),
	/* Ready to run without a free processor; sum over all threads seen */
	COLUMN(run_wait_ns, WAIT_NS, CUMULATIVE),
	/* All interfaces of its network namespace except the loopback */
	COLUMN(netns_received_bytes, BYTES, CUMULATIVE),
	COLUMN(netns_received_packets, COUNT, CUMULATIVE),
	COLUMN(netns_sent_bytes, BYTES, CUMULATIVE),
	COLUMN(netns_sent_packets, COUNT, CUMULATIVE),
};

static const struct column process_maps_columns[] = {
	COLUMN(pss_bytes, BYTES, GAUGE),		/* a page shared by n processes counts as 1/n */
	COLUMN(uss_bytes, BYTES, GAUGE),		/* pages that no other process shares */
	/* In memory, of the stacks of threads that make recorded calls */
	COLUMN(stack_bytes, BYTES, GAUGE),
};

/* Read from its descriptors of /dev/dri. */
static const struct column process_gpu_columns[] = {
	COLUMN(gpu_engine_ns, NS, CUMULATIVE),		/* sum over all engines */
	COLUMN(gpu_client_bytes, BYTES, GAUGE),
};

static const struct column thread_columns[] = {
	/* For a running thread it is late by up to one tick of the kernel */
	COLUMN(thread_cpu_ns, NS, CUMULATIVE),
	COLUMN(thread_wait_ns, WAIT_NS, CUMULATIVE),
	/* As of the process, of this thread alone; not read while it is the only one */
	COLUMN(thread_read_bytes, BYTES, CUMULATIVE),
	COLUMN(thread_write_bytes, BYTES, CUMULATIVE),
	COLUMN(thread_read_chars, BYTES, CUMULATIVE),
	COLUMN(thread_write_chars, BYTES, CUMULATIVE),
};

/*
 * From the kernel's records of context switches: a row where an interval off the processor begins
 * or ends.
 */
static const struct column thread_off_columns[] = {
	/* Until it runs again, including the final wait for a processor */
	COLUMN(thread_blocked_ns, WAIT_NS, CUMULATIVE),
	/* Taken off the processor while it could run */
	COLUMN(thread_preempted_ns, WAIT_NS, CUMULATIVE),
	/* On or off: records of the time were lost */
	COLUMN(thread_unseen_ns, WAIT_NS, CUMULATIVE),
};

static const struct column clock_columns[] = {
	COLUMN(monotonic_ns, NS, CUMULATIVE),
	COLUMN(realtime_ns, NS, GAUGE),			/* may be set back */
};

static const struct column system_columns[] = {
	COLUMN(system_cpu_busy_ns, NS, CUMULATIVE),	/* sum over all processors */
	COLUMN(system_cpu_total_ns, NS, CUMULATIVE),
	COLUMN(load_1min, MILLI, GAUGE),
	COLUMN(memory_used_bytes, BYTES, GAUGE),
	COLUMN(memory_available_bytes, BYTES, GAUGE),
	COLUMN(swap_used_bytes, BYTES, GAUGE),
	COLUMN(disk_reads, COUNT, CUMULATIVE),		/* whole devices with hardware behind them */
	COLUMN(disk_read_bytes, BYTES, CUMULATIVE),
	COLUMN(disk_writes, COUNT, CUMULATIVE),
	COLUMN(disk_written_bytes, BYTES, CUMULATIVE),
	COLUMN(net_received_bytes, BYTES, CUMULATIVE),	/* all interfaces without the loopback */
	COLUMN(net_received_packets, COUNT, CUMULATIVE),
	COLUMN(net_sent_bytes, BYTES, CUMULATIVE),
	COLUMN(net_sent_packets, COUNT, CUMULATIVE),
	/* pressure: at least one task waited; full: all that could run did */
	COLUMN(cpu_stall_ns, WAIT_NS, CUMULATIVE),
	COLUMN(memory_stall_ns, WAIT_NS, CUMULATIVE),
	COLUMN(memory_full_stall_ns, WAIT_NS, CUMULATIVE),
	COLUMN(io_stall_ns, WAIT_NS, CUMULATIVE),
	COLUMN(io_full_stall_ns, WAIT_NS, CUMULATIVE),
	COLUMN(temperature_celsius, MILLI, GAUGE),	/* the hottest zone */
	COLUMN(energy_joules, MILLI, CUMULATIVE),	/* sum over all processor packages */
};

/* The sampler's control group, or a group above it whose limit is lower. */
static const struct column cgroup_columns[] = {
	COLUMN(cgroup_memory_bytes, BYTES, GAUGE),	/* including the page cache */
	COLUMN(cgroup_memory_limit_bytes, BYTES, GAUGE),
	COLUMN(cgroup_oom_kills, COUNT, CUMULATIVE),
	COLUMN(cgroup_cpu_ns, NS, CUMULATIVE),
	COLUMN(cgroup_cpu_limit, MILLI, GAUGE),		/* processors */
	COLUMN(cgroup_throttled_ns, WAIT_NS, CUMULATIVE),
};

#define SET(columns) columns, ARRAY_SIZE(columns)
#define FIRST_BYTES (2u * LOG_AREA_ALIGN)

const struct column_set column_sets[NR_COLUMN_SETS] = {
	[SET_CLOCK] = { "clock", SET(clock_columns), 10, 256u << 10, FIRST_BYTES },
	[SET_PROCESS] = { "process", SET(process_columns), 5, 4u << 20, FIRST_BYTES },
	[SET_MEMORY] = { "memory", SET(memory_columns), 5, 4u << 20, FIRST_BYTES },
	[SET_THREAD] = { "thread", SET(thread_columns), 11, 64u << 10, LOG_AREA_ALIGN },
	[SET_PROCESS_SLOW] = { "process_slow", SET(process_slow_columns), 8, 1u << 20, FIRST_BYTES },
	[SET_PROCESS_MAPS] = { "process_maps", SET(process_maps_columns), 10, 256u << 10, LOG_AREA_ALIGN },
	[SET_PROCESS_GPU] = { "process_gpu", SET(process_gpu_columns), 8, 512u << 10, LOG_AREA_ALIGN },
	[SET_SYSTEM] = { "system", SET(system_columns), 7, 2u << 20, FIRST_BYTES },
	[SET_THREAD_OFF] = { "thread_off", SET(thread_off_columns), 10, 256u << 10, LOG_AREA_ALIGN, true },
	[SET_CGROUP] = { "cgroup", SET(cgroup_columns), 8, 512u << 10, LOG_AREA_ALIGN },
};

_Static_assert(ARRAY_SIZE(process_columns) <= COLUMNS_MAX && ARRAY_SIZE(system_columns) <= COLUMNS_MAX,
	       "room for the widest set");

void figures_clear(struct figures *figures)
{
	uint64_t *number = (uint64_t *)figures;

	for (unsigned i = 0; i < sizeof(*figures) / sizeof(*number); i++)
		number[i] = LOG_NONE;
}
