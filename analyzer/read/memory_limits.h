/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the threads of a process were in when its memory reached INSIDEME_MAX_MEMORY. */
#ifndef INSIDEME_MEMORY_LIMITS_H
#define INSIDEME_MEMORY_LIMITS_H

#include "analyzer/model/model.h"

/* The paths of a process's events. After nodes_read(). */
void memory_limits_read(struct process *process);

#endif
