/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * For how much of its waits a process without hooks was blocked. These waits are in no path of the tree, so
 * function_resources.h does not have them.
 */
#pragma once

#include "analyzer/model/model.h"

struct wait_uses;

/* Reads all single calls of a process without hooks. To be closed before those of another one are read. */
struct wait_uses *wait_uses_open(struct process *process);
void wait_uses_close(struct wait_uses *uses);

/* A call of the node @ref was open when the log ended, for so long. */
void wait_uses_add_open(struct wait_uses *uses, struct thread *thread, uint32_t ref, double so_far_ns);

/*
 * The blocked share of those calls of the node @ref that took @part_ns together. Several places may call one
 * function, of which one copies data and another one is blocked. NAN: it is not known
 */
double wait_uses_share(const struct wait_uses *uses, uint32_t ref, enum log_wait_kind kind, double part_ns);
