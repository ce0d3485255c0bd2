/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All logs of a run. Each new log is mapped, and its process is sampled until it ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/common/run/run.h"
#include "preload/monitor/tools/totals.h"
#include "preload/monitor/watch/own_log.h"
#include "preload/monitor/watch/process_ends.h"
#include "preload/monitor/watch/unlogged_children.h"

struct watch {
	const struct run *run;
	struct tree *tree;		/* gets each process that has a log */
	struct sampler_settings settings;
	int notify_fd; /* becomes readable when there are new logs; < 0: the directory is read at intervals */
	int64_t next_scan_ns;
	int64_t next_look_ns;		/* for entries of children */
	struct entered_list entered;	/* children without a log */
	struct watched *live;		/* logs of processes that run */
	struct watched *all;
	void *by_name;			/* tree of all */
	struct count count;		/* sums over logs that are closed */
};

/* @own_log: gets the rows of children without a log. It may be opened later. */
void watch_init(struct watch *watch, const struct run *run, struct tree *tree, struct own_log *own_log,
		const struct sampler_settings *settings);

/*
 * Sample what is due at @now_ns, having looked for new logs if @is_notified: notify_fd is readable. Return:
 * the next time. All of CLOCK_MONOTONIC.
 */
int64_t watch_step(struct watch *watch, int64_t now_ns, bool is_notified);

/* @pid has ended and is a zombie: write its last rows and close its logs. */
void watch_end(struct watch *watch, pid_t pid);

/* Is @pid a process of insideme-run that copies stacks? */
bool watch_is_copying(const struct watch *watch, pid_t pid);

/* Was there a log of @pid, or is there an entry of it? */
bool watch_saw(const struct watch *watch, pid_t pid);

/* Close all logs. Their processes may run on. */
void watch_release(struct watch *watch);
