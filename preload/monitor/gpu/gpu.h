/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NVIDIA's devices, sampled by a process of its own that writes rows into insideme-run's log.
 * NVIDIA's library may take seconds to start, hang or crash, and nothing waits for it. Rows: set
 * "gpuN" for each device, "gpuN_process" for each process on it, with its pid as id.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "insideme_log.h"
#include "preload/common/base/settings.h"

struct gpu {
	pid_t pid;			/* of that process; 0: there is none */
	bool is_asked_for;
	struct gpu_word *word;		/* its message, in memory that is shared with it */
};

/*
 * @log_fd: of @log, open for writing. Does nothing where there is no device, unless the setting
 *   asks for one.
 */
void gpu_start(struct gpu *gpu, const struct settings *settings, struct log_header *log, int log_fd);

/* Is @pid our process, which has ended? */
bool gpu_is(const struct gpu *gpu, pid_t pid);

/* End the process. If devices were asked for and there is none, print why. */
void gpu_stop(struct gpu *gpu);
