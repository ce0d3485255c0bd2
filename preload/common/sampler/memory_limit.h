/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * INSIDEME_MAX_MEMORY: the action when the live heap or RSS of a process reaches it. The task that notices it
 * first acts, once.
 */
#pragma once

#include "preload/common/log/log.h"

static inline bool ceiling_is_reached(const struct log_header *log, int64_t bytes)
{
	return log->memory_limit_bytes && bytes > 0 && (uint64_t)bytes >= log->memory_limit_bytes &&
	       !log->memory_passed;
}

/*
 * Record in the log that @memory has reached @bytes, and the call path that each thread is in now,
 * beginning with @thread, which has allocated (NULL: not known). May be called from anywhere.
 * Return: false when that was done before.
 */
bool ceiling_note(struct log_header *log, enum log_memory memory, uint64_t bytes,
		  const struct log_thread *thread);

/*
 * Then print a message as @sayer, and do what the user asked for: to thread @tid of @pid, or to the
 * process if @tid is 0. Makes system calls. CEILING_SAYS_IN_TASK is for the sampling task, which
 * has no stderr; see message.h.
 */
enum ceiling_sayer { CEILING_SAYS_HERE, CEILING_SAYS_IN_TASK };
void ceiling_act(const struct log_header *log, enum log_memory memory, uint64_t bytes, int pid, int tid,
		 enum ceiling_sayer sayer);
