/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the hooks cost on this machine, for whoever reads the log to take it out. */
#ifndef INSIDEME_HOOK_COST_H
#define INSIDEME_HOOK_COST_H

#include "preload/stacks/thread.h"

/*
 * Measure the hooks on a record of their own, and note in @log what they cost: some 40 us. For the constructor, with the
 * process's way of timing known; signals are blocked meanwhile.
 */
void cost_measure(struct log_header *log);

/*
 * The same where the process has no costs yet and its threads run, at the first hook: of hooks alone, on a record in @log
 * that readers step over. Makes system calls; none is made after a seccomp filter, and nothing measured; nor where recording is
 * off then, as hooks do something else.
 */
void cost_measure_late(struct log_header *log);

#endif
