/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process's memory over time, by all its readings. */
#ifndef INSIDEME_MEMORY_ROWS_H
#define INSIDEME_MEMORY_ROWS_H

#include "analyzer/model/model.h"

/*
 * Add to the rows of the set "memory", where there are any, those of "process", which have the same figures: either may be
 * the rarer one, as the sampler must not cost more than its share. After all rows of the process are there.
 */
void memory_rows_complete(struct process *process);

#endif
