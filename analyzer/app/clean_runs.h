/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --clean: remove old runs, but never a run that goes on, nor anything that is not a run of ours. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Remove all runs in run_directory() but the newest @keep, and list them on standard output. @dry_run: only
 * list them.
 * Return: exit status
 */
int clean_runs(size_t keep, bool dry_run);

/*
 * Remove the named runs in the same way. @names ends with NULL. Return: exit status, failure if a run was not
 * removed
 */
int remove_runs(char *const *names, bool dry_run);
