/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NVIDIA's management library, loaded when it is there. Every call may be missing, slow, or never come back: it belongs
 * into a process of its own, once, and never into the program.
 */
#ifndef INSIDEME_MONITOR_NVML_H
#define INSIDEME_MONITOR_NVML_H

#include <stdint.h>

#define NVML_PROCESSES_MAX 128

/* One device; LOG_NONE: not told. */
struct nvml_figures {
	uint64_t percent;		/* of the last moments in which something ran on it */
	uint64_t memory_percent;	/* in which its memory was read or written */
	uint64_t memory_used_bytes, memory_total_bytes;
	uint64_t temperature_celsius;	/* this one and the next two in thousandths */
	uint64_t power_watts;
	uint64_t energy_joules;		/* since the driver was loaded */
	uint64_t clock_mhz, memory_clock_mhz;
};

struct nvml_process {
	uint32_t pid;			/* as the host counts, in a container too */
	uint64_t memory_bytes;
	uint64_t percent;
};

/* Return: the number of devices, or a text that says why there are none in @reason, and 0. */
unsigned nvml_open(const char **reason);

void nvml_read(unsigned device, struct nvml_figures *figures);

/* Return: how many are in @processes. */
unsigned nvml_read_processes(unsigned device, struct nvml_process processes[NVML_PROCESSES_MAX]);

#endif
