/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log that the run's programs of a host share, and in which those are that have none of their own. */
#ifndef INSIDEME_SHARED_LOG_H
#define INSIDEME_SHARED_LOG_H

#include "preload/common/base/settings.h"
#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

/*
 * Map it as run->shared. With an empty @id->boot_id, by who found the run through an ancestor: only where all
 * processes of the run are of one boot, which is @id's then.
 * Return: 0, -ENOENT where there is none, or another -errno: it cannot be used.
 */
int shared_log_map(struct run *run, const struct process_id *id);

/* Make it, of a run whose page is mapped. @us_ticks: ticks in 1 us. Return: as shared_log_map(). */
int shared_log_make(struct run *run, const struct process_id *id, const struct settings *settings, uint64_t us_ticks);

/* It is not this process's any more. */
void shared_log_leave(struct run *run);

/* Processes of another boot than its own are in the run. */
void shared_log_tell_boots(const struct run *run, const struct process_id *id);

#endif
