/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs a process belongs to: it keeps the page of its run, RUN/run, or a log mapped, so its children find it. */
#ifndef INSIDEME_MAPPED_RUNS_H
#define INSIDEME_MAPPED_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Call @found with each .../run and .../NAME.log that process @pid has mapped as those of a run may be, of whose path the
 * first @run_bytes are the run's, until it returns true. Return: whether it did; false too where the process may not be looked at.
 */
bool mapped_runs_search(uint32_t pid, bool (*found)(const char *path, size_t run_bytes, void *context), void *context);

/* Is the library in process @pid, but no run? Such a one was turned off, or is none of those that are recorded. */
bool mapped_runs_are_missed(uint32_t pid);

#endif
