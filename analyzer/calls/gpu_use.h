/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one process used of GPUs up to any time. */
#ifndef INSIDEME_GPU_USE_H
#define INSIDEME_GPU_USE_H

#include "analyzer/base/curves.h"
#include "analyzer/model/model.h"

enum { GPU_NS, GPU_BYTES, NR_GPU_NUMBERS };

/*
 * From its own descriptors (/proc/PID/fdinfo: time of engines) and from rows that insideme-run has of it (NVML: per cent of
 * a device between two samples). @gpu: initialised for NR_GPU_NUMBERS; without a point where nothing is known.
 */
void gpu_use_read(struct curve *gpu, struct process *process);

#endif
