/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which process came from which: by exec, or by fork. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Set end_next of all processes of @model. Give forked children the command line, program and directory of
 * their parents: their own logs do not have them. Times must be known.
 */
void lineage_find(struct model *model);
/* Was it forked, without an exec since? By its own log. */
bool lineage_is_forked(const struct process *process);
