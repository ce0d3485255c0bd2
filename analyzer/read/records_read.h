/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of a log: facts, modules, events, labels. */
#pragma once

#include "analyzer/model/model.h"

/* Fill facts, modules, events and labels of @process. Its threads and its timebase must be known. */
void records_read(struct process *process);
/*
 * Find the paths of events: where threads were when memory reached INSIDEME_MAX_MEMORY. After nodes_read().
 */
void records_find_paths(struct process *process);
void records_release(struct process *process);

/* A child without a log has its parent's labels. */
void records_inherit_labels(struct process *process, const struct process *parent);
