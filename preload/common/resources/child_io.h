/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * I/O of children in their parent's figures. When a process waits for a child that has ended, the
 * kernel adds all that the child read and wrote to the parent's /proc/PID/io (wait_task_zombie() in
 * kernel/exit.c); it does not do so with times and faults. The children's part is what the
 * process's numbers contain, none of its threads' (/proc/PID/task/TID/io) does, and has come since
 * a child was waited for.
 *
 * This is exact for a process that only ever had one thread. The I/O of a thread that ended is in
 * the process's numbers alone, too. What such threads did between the last two readings may then be
 * counted as the children's, but never more.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "insideme_log.h"
#include "preload/common/base/proc_text.h"
#include "preload/common/resources/proc_file.h"

struct child_io {
	uint64_t child_faults;	/* of children that were waited for, at the last reading */
	struct proc_io seen;	/* the process's numbers at the last reading */
	/* the part of them that was in no thread's numbers when a child was last waited for */
	struct proc_io beside;
	struct proc_io waited;	/* the children's part */
};

/*
 * Has the process waited for a child since the last reading? @child_faults: minor faults of the
 * children that it has waited for.
 */
static inline bool child_io_is_due(const struct child_io *waited, uint64_t child_faults)
{
	return child_faults != waited->child_faults && child_faults != LOG_NONE;
}

/*
 * Subtract the children's I/O from @io, which is /proc/PID/io of the process less what its threads
 * read for us. The caller reads @io before @child_faults, and once more after it when
 * child_io_is_due(): so the two always know the same children. @task_fd: the directory of the
 * threads; @own_tid: the thread that reads for us, 0 for none. @buffer: for texts of /proc, counted
 * in @count.
 */
void child_io_take_off(struct child_io *waited, uint64_t child_faults, int task_fd, int own_tid,
			struct read_count *count, char *buffer, uint64_t bytes, struct proc_io *io);
