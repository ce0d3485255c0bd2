/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that is sampled without having loaded the library. Its log is made here. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/common/base/settings.h"
#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"
#include "preload/common/sampler/sampler.h"

struct sampled {
	struct sampled *next;
	pid_t pid;
	uint64_t start_ticks;		/* field 22 of /proc/PID/stat: the pid may be reused later */
	struct log_header *log;
	int log_fd;			/* of it, open until the sampler ends */
	pid_t stacks_pid;		/* the process that takes its stacks; 0: none */
	struct sampler *sampler;	/* NULL: it has ended */
	int64_t due_ns;			/* CLOCK_MONOTONIC */
	char home[RUN_PATH_BYTES];	/* where the log belongs if it lives outside of its run, else empty */
};

/* @here: this process, for the host. Return: NULL with -errno in @error (-ENOENT, -ESRCH: no such process) */
struct sampled *sampled_new(pid_t pid, const struct run *run, const struct process_id *here,
			    const struct settings *settings, int *error);

/* Sample what is due at @now_ns. Return: false if the process has ended */
bool sampled_step(struct sampled *sampled, int64_t now_ns);

/* Write last rows if it still runs, and the end mark. @has_ended: as far as is known. */
void sampled_close(struct sampled *sampled, bool has_ended);
