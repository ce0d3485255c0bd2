/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runs that a process belongs to. A process keeps the page of its run, RUN/run, or a log
 * mapped, so that its children find the run.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Call @found with the path of each .../run and .../NAME.log that process @pid has mapped as a
 * run's files are, until it returns true. The first @run_bytes of the path are the run's. Return:
 * whether it returned true; also false when the process may not be looked at.
 */
bool mapped_runs_search(uint32_t pid, bool (*found)(const char *path, size_t run_bytes, void *context),
			void *context);

/*
 * Is the library in process @pid, but no run? Then it was turned off, or the process is not one to
 * record.
 */
bool mapped_runs_are_missed(uint32_t pid);
