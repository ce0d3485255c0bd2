/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls that were open when the log ended, and what they add to the counters. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Fill process->stacks, and add the open calls to their paths: one call each, with the time up to
 * process->last. After nodes_read().
 */
void open_calls_read(struct process *process);
