/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs without hooks that ended before they had a log of their own: their entries in the log that they share. */
#ifndef INSIDEME_PROGRAM_ENTRIES_H
#define INSIDEME_PROGRAM_ENTRIES_H

#include "analyzer/model/model.h"

/*
 * Add the programs that have entries in @shared alone to @model, and the children that they forked. The logs of the run
 * must be open: a program's own one tells all, and its children in @shared belong to that.
 */
void briefs_read(struct model *model, const struct process *shared);

#endif
