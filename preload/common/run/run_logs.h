/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logs in a run: their names, and which processes have one. No libc. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

/*
 * Make a new, empty log in the run, mode 0600: HOST-PID-N.log, with the rank in front if the process is one.
 * @path is set to its absolute path, @exec_count to N. For pid 0 there is at most one log; if it exists,
 * -EEXIST. Return: descriptor (O_RDWR, O_CLOEXEC), or -errno.
 */
int run_new_log(const struct run *run, const struct process_id *id, char *path, uint64_t path_bytes,
		uint32_t *exec_count);

/* The path of the log that the programs of @id's host share. It is named like a log of process 0. */
void run_shared_log(char *path, uint64_t path_bytes, const struct run *run, const struct process_id *id);

/*
 * Was this process, whose start is not known, forked a moment ago, and is it entered in the log at
 * @path? Then its start is read from there.
 */
bool run_knows_newborn(const char *path, struct process_id *id);

/* Does the run hold a log of this very process, from before an exec? */
bool run_has_own_log(const char *run_path, const struct process_id *id);

/*
 * Does the run know this process's rank from an older image of the process, or from an ancestor?
 * @is_child tells which.
 */
bool run_knows_rank(const char *run_path, const struct process_id *id, bool *is_child);

/*
 * Does the run already have this process's rank of this launch, from another parent than ours
 * (which may run several programs one after the other)? Then the run belongs to another launch.
 */
bool run_rank_is_taken(const char *run_path, const struct process_id *id);
