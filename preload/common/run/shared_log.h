/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log that the run's programs on a host share. It has the entries of programs without a log of
 * their own.
 */
#pragma once

#include "preload/common/base/settings.h"
#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

/*
 * Map the log as run->shared. If @id->boot_id is empty, the run was found through an ancestor, and
 * the log is used only if all processes of the run are of one boot, which then is @id's. Return: 0;
 * -ENOENT where there is none; or another -errno when it cannot be used.
 */
int shared_log_map(struct run *run, const struct process_id *id);

/* Make the log, in a run whose page is mapped. @us_ticks: ticks in 1 us. Return: as shared_log_map(). */
int shared_log_make(struct run *run, const struct process_id *id, const struct settings *settings,
		    uint64_t us_ticks);

/* The log is no longer this process's. */
void shared_log_leave(struct run *run);

/* Record in the log that the run has processes of another boot than the log's. */
void shared_log_tell_boots(const struct run *run, const struct process_id *id);
