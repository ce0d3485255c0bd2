/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run of a parallel launch, which many processes, perhaps on several hosts, find or start at one time. */
#ifndef INSIDEME_LAUNCH_RUN_H
#define INSIDEME_LAUNCH_RUN_H

#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

/*
 * The run in @directory that the launch of this rank has, else a new one; @has_run: else @run, which is an
 * ancestor's, and which is left where the launch has another one. Return: 0, or -errno.
 */
int run_of_launch(struct run *run, const char *directory, const struct process_id *id, bool has_run);

#endif
