/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of forked children from the time that they had no log: insideme-run has them in its own. */
#ifndef INSIDEME_CHILDREN_ROWS_H
#define INSIDEME_CHILDREN_ROWS_H

#include "analyzer/model/model.h"

/* Such rows go from the model's monitors to its processes, in front of those that a process has of the same set. */
void children_rows_read(struct model *model);

#endif
