/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the run of this process. No libc; the library's constructor and insideme-run use it. */
#pragma once

#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

enum run_wish {
	RUN_OF_PROGRAM,		/* found, or a new one */
	/*
	 * The same, for a program that may only need an entry: run->shared may be mapped in place
	 * of run->page
	 */
	RUN_OF_BRIEF,
	RUN_OF_MONITOR,		/* likewise, without ancestors: insideme-run starts a run */
	RUN_OF_LAUNCHER,	/* only one that exists: what the launcher starts has a run of its own */
};

/*
 * The run of this process is, in this order: @run_setting (INSIDEME_RUN) if not empty; for a rank,
 * the run of its launch; the run of the nearest ancestor; the run that holds a log of this pid and
 * start (before an exec); a new one in @dir. Fills in a start of 0, an empty @id->boot_id and, for
 * a rank, @id->rank.is_child. Return: 0, or -errno with the path that failed in run->path.
 */
int run_find(struct run *run, enum run_wish wish, const char *run_setting, const char *dir,
	     struct process_id *id);
