/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One log of a run: its file, its mapping here, and the sampler of its process. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "preload/common/run/run.h"
#include "preload/common/sampler/sampler.h"
#include "preload/monitor/tools/totals.h"

struct watched {
	struct watched *next;
	struct watched *next_of_all;
	pid_t pid;			/* 0: the log is not begun yet */
	struct log_header *log;		/* NULL: not begun yet, or closed */
	uint64_t map_bytes;
	struct sampler *sampler;	/* NULL: the process was gone before it could be sampled */
	uint32_t seen_entry; /* as log_header.entries: this entry and all older ones were seen; 0: none */
	uint64_t nr_entered;		/* children that keep the log open, see unlogged_children.h */
	bool has_ended;			/* the process has ended, or goes on in another log */
	int64_t ended_ns;		/* when: CLOCK_MONOTONIC */
	pid_t stacks_pid;		/* the process that copies its stacks, or did last; 0: none */
	bool is_done;
	int64_t due_ns;			/* CLOCK_MONOTONIC */
	int64_t pause_ns;		/* between looks at a log that has not begun */
	char name[];
};

struct watched *watched_new(const char *name);
int watched_compare(const void *a, const void *b);	/* by name, for a tree */

/*
 * Open the log once its process has begun it; sample from then on. Return: 0; -errno: close it; -ESTALE:
 * after an exec.
 */
int watched_step(struct watched *watched, const struct run *run, const struct sampler_settings *settings,
		 int64_t now_ns);

/*
 * Call @each for the entries of children in the log that came since the last time. Nothing in the log is
 * believed: its processes may write over it.
 */
void watched_new_entries(struct watched *watched, void (*each)(void *context, const struct log_entry *entry),
			 void *context);

/* Begin to copy the stacks of its threads if the process has asked for them. */
void watched_take_stacks(struct watched *watched, const struct run *run);

/* Write the last rows, once: the process has ended, or is no longer watched. */
void watched_stop(struct watched *watched);

/*
 * Close a log that was stopped, and add what is in it to @count. @has_ended: no process writes to it any
 * more, so that the file's unused room is given back. Closing twice does nothing.
 */
void watched_close(struct watched *watched, const struct run *run, bool has_ended, struct count *count);
