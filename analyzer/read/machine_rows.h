/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine is sampled by one process of a run after the other, and by each in older logs: one curve of it for all. */
#ifndef INSIDEME_MACHINE_ROWS_H
#define INSIDEME_MACHINE_ROWS_H

#include "analyzer/model/model.h"

/*
 * Of each run and machine the rows of all processes, those that a filter leaves out too, become one process's in the order
 * of time: insideme-run's, or those of the first that is reported. When the processes have been read: their rows say how
 * long each lived.
 */
void machine_rows_gather(struct model *model);

/* What people call the machine of a process: "machine", or by its name where it is not the first process's. */
const char *machine_name(const struct process *process);

#endif
