/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run of a parallel launch, which many processes, perhaps on several hosts, find or start at
 * the same time.
 */
#pragma once

#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

/*
 * Find the run in @directory that the launch of this rank has, or make a new one. @has_run: @run is
 * an ancestor's; use it in place of a new one, but leave it if the launch has another one. Return:
 * 0, or -errno.
 */
int run_of_launch(struct run *run, const char *directory, const struct process_id *id, bool has_run);
