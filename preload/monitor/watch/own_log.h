/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insideme-run's own log in the run: rows of the machine, and the ends of processes. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "preload/common/base/settings.h"
#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"
#include "preload/common/sampler/sampler.h"
#include "preload/monitor/gpu/gpu.h"
#include "preload/monitor/tools/program_kind.h"
#include "preload/monitor/watch/process_ends.h"

struct own_log {
	struct log_header *log;		/* NULL: could not be made; then the other functions do nothing */
	int log_fd;			/* for other samplers that write into the log; they take copies */
	struct sampler *sampler;
	struct gpu gpu;			/* writes rows into the log */
	int64_t due_ns;			/* CLOCK_MONOTONIC */
	char home[RUN_PATH_BYTES];	/* where it belongs if it lives outside of its run, else empty */
};

void own_log_open(struct own_log *own, const struct run *run, const struct process_id *id,
		  const struct settings *settings, char **argv);

/* Sample what is due at @now_ns. Return: the next time. Both of CLOCK_MONOTONIC. */
int64_t own_log_step(struct own_log *own, int64_t now_ns);

void own_log_process_end(struct own_log *own, const struct process_end *end);
/* @pid ended without a log: it did not load the library. */
void own_log_process_unseen(struct own_log *own, pid_t pid, const char *program);
/*
 * @pid, whose previous program began at @start_ns (CLOCK_MONOTONIC), runs another program, which has no log
 * yet.
 */
void own_log_process_execed(struct own_log *own, pid_t pid, uint64_t start_ns);
/* Record why the program does not load the library. */
void own_log_refused(struct own_log *own, const char *program, const struct refusal *refusal);
/* @pid still runs when insideme-run ends. */
void own_log_process_left(struct own_log *own, pid_t pid, uint64_t start_ticks);

/* Write last rows and the end mark. */
void own_log_close(struct own_log *own, int status);
