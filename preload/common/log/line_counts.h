/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies of a program's coverage counters in its log. The program's own counters are plain words that its
 * code adds to; copies never fall, whichever task writes them last.
 */
#pragma once

#include "preload/common/log/log.h"

#define LINE_COUNTS_INTERVAL_NS 1000000000ull /* between copies */

/* Copy one source file's counters, which are in the caller's memory. */
void line_counts_take(struct log_line_counts *counts);

/*
 * Copy all counters of process @pid, whose log is @log, mapped here: from its memory, by the kernel. Counters
 * that are not there any more are left as they were. Makes system calls.
 */
void line_counts_fetch(struct log_header *log, int pid);
