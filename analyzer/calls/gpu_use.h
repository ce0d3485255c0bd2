/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GPU time and memory that a process had used, at any time of the run. */
#pragma once

#include "analyzer/base/curves.h"
#include "analyzer/model/model.h"

enum { GPU_NS, GPU_BYTES, NR_GPU_NUMBERS };

/*
 * From the process's own descriptors (/proc/PID/fdinfo: time of engines), and from rows about it that
 * insideme-run took (NVML: percentage of a device between two rows). @gpu: initialised for NR_GPU_NUMBERS;
 * without points if nothing is known.
 */
void gpu_use_read(struct curve *gpu, struct process *process);
