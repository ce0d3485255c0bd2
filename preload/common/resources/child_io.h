/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * I/O of children in their parent's figures. When a process waits for a child that has ended, the kernel adds all
 * that the child read and wrote to what /proc/PID/io tells of the process (wait_task_zombie() in kernel/exit.c), as
 * it does not with times and faults. This finds out how much that is: what is in the process's numbers, and in those
 * of none of its threads (/proc/PID/task/TID/io), and came since a child was waited for.
 *
 * Exact for a process that had one thread only. A thread that ended is in the process's numbers alone too: what
 * threads did between the last two readings and is lost with them may then be taken for the children's, never more.
 */
#ifndef INSIDEME_CHILD_IO_H
#define INSIDEME_CHILD_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/resources/process_text.h"
#include "preload/common/resources/source.h"

struct waited_io {
	uint64_t child_faults;	/* of children that were waited for, at the last reading */
	struct proc_io seen;	/* the process's numbers then */
	struct proc_io beside;	/* of them what was in no thread's, when a child was waited for last */
	struct proc_io waited;	/* the children's */
};

/* @child_faults: minor faults of children that the process has waited for. Has it waited for one since the last reading? */
static inline bool waited_io_is_due(const struct waited_io *waited, uint64_t child_faults)
{
	return child_faults != waited->child_faults && child_faults != LOG_NONE;
}

/*
 * @io: /proc/PID/io of a process, less what threads did that read for us; loses what children did. Read before
 * @child_faults, and once more after that when it is due: so of no child one is known without the other. @task_fd: the directory of its threads; @own_tid: one of
 * them that reads for us, 0: none does. @buffer: for texts of /proc, counted in @count.
 */
void waited_io_take_off(struct waited_io *waited, uint64_t child_faults, int task_fd, int own_tid,
			struct source_count *count, char *buffer, uint64_t bytes, struct proc_io *io);

#endif
