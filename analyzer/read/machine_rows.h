/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of the machine. One process of a run after the other takes them; in older logs each process takes its
 * own. They become one curve.
 */
#pragma once

#include "analyzer/model/model.h"

/*
 * For each run and machine, merge the rows of all processes in the order of time, including those of
 * processes that a filter leaves out. insideme-run gets them, or else the first reported process. Call this
 * after the processes were read: their rows show how long each lived.
 */
void machine_rows_gather(struct model *model);

/*
 * How views call the machine of a process: "machine", or by its name if it is not the first process's
 * machine.
 */
const char *machine_name(const struct process *process);
