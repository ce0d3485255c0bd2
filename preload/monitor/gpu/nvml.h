/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NVIDIA's management library, loaded where it is installed. Any call may be missing, slow, or
 * never return. So it must be used in a process of its own, once, and never in the program.
 */
#pragma once

#include <stdint.h>

#define NVML_PROCESSES_MAX 128

/* One device. LOG_NONE: not known. */
struct nvml_figures {
	uint64_t percent;		/* share of the last moments in which something ran on it */
	uint64_t memory_percent;	/* share in which its memory was read or written */
	uint64_t memory_used_bytes, memory_total_bytes;
	uint64_t temperature_celsius;	/* in thousandths, as the next two */
	uint64_t power_watts;
	uint64_t energy_joules;		/* since the driver was loaded */
	uint64_t clock_mhz, memory_clock_mhz;
};

struct nvml_process {
	uint32_t pid;			/* as the host counts, also in a container */
	uint64_t memory_bytes;
	uint64_t percent;
};

/* Return: the number of devices; or 0, with the reason in @reason. */
unsigned nvml_open(const char **reason);

void nvml_read(unsigned device, struct nvml_figures *figures);

/* Return: the number of entries in @processes. */
unsigned nvml_read_processes(unsigned device, struct nvml_process processes[NVML_PROCESSES_MAX]);
