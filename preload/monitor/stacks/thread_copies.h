/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies the stacks of a process's threads into its log; nothing is unwound here. A process of its own does
 * it, as in sampling.h.
 */
#pragma once

#include <sys/types.h>

#include "insideme_log.h"

/*
 * Copy the stacks of all threads of @pid but log_header.stacks_tid into @log, whose file is @fd; then set
 * log_header.stacks_wanted. Threads that wait in a call that a stop would end are only read. Return: the pid
 * of the process that does it, or -errno.
 */
pid_t thread_copies_start(pid_t pid, struct log_header *log, int fd);
