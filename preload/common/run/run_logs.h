/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logs in a run: their names, and whose are there already. No libc. */
#ifndef INSIDEME_RUN_LOGS_H
#define INSIDEME_RUN_LOGS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

/*
 * A new, empty log in the run, mode 0600: HOST-PID-N.log, with the rank in front where it is one. Its absolute
 * path goes to @path and N to @exec_count. Of pid 0 there is one at most, else -EEXIST.
 * Return: descriptor (O_RDWR, O_CLOEXEC), or -errno.
 */
int run_new_log(const struct run *run, const struct process_id *id, char *path, uint64_t path_bytes,
		uint32_t *exec_count);

/* The log that the programs of @id's host share: as that of a process 0. */
void run_shared_log(char *path, uint64_t path_bytes, const struct run *run, const struct process_id *id);

/*
 * Was this process, whose start is not known, forked a moment ago, and did it enter itself in the log at @path? So its
 * start is told there.
 */
bool run_knows_newborn(const char *path, struct process_id *id);

/* Does the run hold a log of this very process, from before an exec? */
bool run_has_own_log(const char *run_path, const struct process_id *id);

/* Does the run know this process's rank by an older image of it or by an ancestor? Then @is_child says which. */
bool run_knows_rank(const char *run_path, const struct process_id *id, bool *is_child);

/*
 * Is this process's rank of this launch there already, and from elsewhere than this process's parent (which may
 * run several programs one after the other)? Then the run is of another launch.
 */
bool run_rank_is_taken(const char *run_path, const struct process_id *id);

#endif
