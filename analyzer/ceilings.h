/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes whose memory has reached INSIDEME_MAX_MEMORY, and what their threads were in then. */
#ifndef INSIDEME_CEILINGS_H
#define INSIDEME_CEILINGS_H

#include "report.h"

/* The paths of a process's events. After nodes_read(). */
void ceilings_read(struct process *process);

void ceilings_add(struct document *document, struct report *report);

#endif
