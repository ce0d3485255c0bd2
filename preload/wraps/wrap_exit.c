/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of the process. Nothing is flushed or freed: recording goes on until the process is gone. */
#include "preload/wraps/wraps.h"

#include "preload/calls/slices.h"
#include "preload/life/end_summary.h"
#include "preload/life/recorder.h"
#include "preload/objects/next_functions.h"
#include "preload/stacks/thread.h"
#include "preload/state/foreign_hooks.h"

static void mark_exit(int status)
{
	records_end_gone();
	foreign_hooks_look(NULL);
	if (live.log)
		slices_watch_room(live.log);
	recorder_mark_end(LOG_EXITED, status & 0xff);
	end_summary_print();
}

static void exited(int status, void *unused)
{
	mark_exit(status);
}

/* Our handler is registered first, so it runs after all others and sees the final status. */
void ends_init(void)
{
	libc.on_exit(exited, NULL);
}

static _Noreturn void end_now(int status)
{
	for (;;)
		raw_syscall(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

#define ENDS_NOW(name) \
	EXPORT _Noreturn void name(int status); \
	EXPORT _Noreturn void name(int status) \
	{ \
		mark_exit(status); \
		if (real_find(name)) \
			real.name(status); \
		end_now(status); \
	}

ENDS_NOW(_exit)
ENDS_NOW(_Exit)
ENDS_NOW(quick_exit)
