/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes that --pid names. */
#pragma once

#include <sys/types.h>

/*
 * Call @each for the processes of @list: numbers, and names of executables, separated by commas; never for
 * ourselves. A name that no process has gets a line on stderr.
 */
void pids_each(const char *list, void (*each)(pid_t pid, void *context), void *context);
