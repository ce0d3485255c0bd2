/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forked children that ended, or became another program, before they needed a log of their own. */
#ifndef INSIDEME_CHILD_ENTRIES_H
#define INSIDEME_CHILD_ENTRIES_H

#include "analyzer/model/model.h"

/*
 * A process for each entry in the log of @parent, which has been opened: appended to *children, with what was
 * open at the fork as open. An entry of no possible content is counted as damage.
 */
void children_read(struct process *parent, struct process ***children, size_t *nr);

/*
 * The process of one entry, @child, at @offset of the log of @holder: of @parent itself, or the one that programs share.
 * NULL: counted as damage.
 */
struct process *child_open(const struct process *holder, struct process *parent, struct log_child *child, uint64_t offset);

/* What was open in such a child is in its log only between these two. */
void children_open_path(struct process *process);
void children_close_path(struct process *process);

#endif
