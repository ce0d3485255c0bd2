/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which process came from which: images that follow by exec, and forked children. */
#ifndef INSIDEME_PARENTS_H
#define INSIDEME_PARENTS_H

#include "analyzer/model/model.h"

/*
 * Sets end_next of all processes of @model, and what was executed, where and how, of forked children, whose logs do not say
 * that. Their times must be known.
 */
void lineage_find(struct model *model);
/* By its own log: without an exec since. */
bool lineage_is_forked(const struct process *process);

#endif
