/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that ended, or exec'ed, before they had a log of their own: only an entry in another log tells of them. */
#ifndef INSIDEME_ENTRIES_READ_H
#define INSIDEME_ENTRIES_READ_H

#include "analyzer/model/model.h"

/*
 * Add to @model a process for each entry in the log of @holder, but for those that opened their own log later. An entry that
 * cannot be true is counted as damage. Of the log that programs share: call this once the logs of the run are open, since
 * the parent of a child that is entered there may have opened its own log.
 */
void entries_read(struct model *model, struct process *holder);

#endif
