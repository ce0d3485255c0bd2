/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of the hooks on this machine, so that readers of the log can subtract it. */
#pragma once

#include "preload/stacks/thread.h"

/*
 * Measure the hooks on a record of their own, and note their cost in @log: takes about 40 us. For the
 * constructor, once the process's timing is known. Signals are blocked meanwhile.
 */
void cost_measure(struct log_header *log);

/*
 * The same at the first hook of a process that has no costs yet and may have threads. Measures only hooks, on
 * a record in @log that readers skip. Makes system calls, so nothing is measured after a seccomp filter.
 * Nothing is measured while recording is off either, because hooks do something else then.
 */
void cost_measure_late(struct log_header *log);

/*
 * The same again while the program runs, by the sampling task. If it finds less, the start was disturbed, and
 * all costs measured there are reduced in proportion. LOG_COST_AROUND is measured again by itself.
 */
void cost_measure_again(struct log_header *log);
