/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes that ended or exec'ed before they had a log of their own: they have only an entry in another log.
 */
#pragma once

#include "analyzer/model/model.h"

/*
 * Add to @model a process for each entry in the log of @holder, except those that opened a log of their own
 * later. An entry that cannot be true counts as damage. For a log that programs share, call this after all
 * logs of the run were opened: the parent of a child in it may have opened a log of its own.
 */
void entries_read(struct model *model, struct process *holder);
