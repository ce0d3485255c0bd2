/* SPDX-License-Identifier: GPL-3.0-or-later */
/* INSIDEME_MAX_MEMORY: what is done when live heap or RSS of a process reach it: once, whoever sees it first. */
#ifndef INSIDEME_MEMORY_LIMIT_H
#define INSIDEME_MEMORY_LIMIT_H

#include "preload/common/log/log.h"

static inline bool ceiling_is_reached(const struct log_header *log, int64_t bytes)
{
	return log->memory_limit_bytes && bytes > 0 && (uint64_t)bytes >= log->memory_limit_bytes && !log->memory_passed;
}

/*
 * Write to the log that @memory has reached @bytes and the call paths that all threads are in now, first that of
 * @thread, who allocated (NULL: not known). Return: false when that was done before. Callable anywhere.
 */
bool ceiling_note(struct log_header *log, enum log_memory memory, uint64_t bytes, const struct log_thread *thread);

/*
 * Then say so as @sayer, and do what is asked for: to thread @tid of @pid, 0: to the process. Makes system calls. See say.h:
 * the sampling task has no stderr.
 */
enum ceiling_sayer { CEILING_SAYS_HERE, CEILING_SAYS_IN_TASK };
void ceiling_act(const struct log_header *log, enum log_memory memory, uint64_t bytes, int pid, int tid,
		 enum ceiling_sayer sayer);

#endif
