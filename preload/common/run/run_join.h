/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which run this process belongs to. No libc; used by the library's constructor and by insideme-run. */
#ifndef INSIDEME_RUN_JOIN_H
#define INSIDEME_RUN_JOIN_H

#include "preload/common/run/process_id.h"
#include "preload/common/run/run.h"

enum run_wish {
	RUN_OF_PROGRAM,		/* found, or a new one */
	RUN_OF_BRIEF,		/* the same, of a program that may do with an entry: run->shared may be mapped instead of run->page */
	RUN_OF_MONITOR,		/* likewise, but ancestors do not count: who says insideme-run starts a run */
	RUN_OF_LAUNCHER,	/* only one that is there: what it starts is a run of its own name */
};

/*
 * The run of this process: @run_setting (INSIDEME_RUN) if not empty; for a rank the one that its launch has; that of
 * the nearest ancestor; the one that holds a log of this pid and start time (before an exec); else a new one in
 * @dir. A start of 0, an empty @id->boot_id and, of a rank, @id->rank.is_child are filled in. Return: 0, or -errno with the path that failed in run->path.
 */
int run_find(struct run *run, enum run_wish wish, const char *run_setting, const char *dir, struct process_id *id);

#endif
