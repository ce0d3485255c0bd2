/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of forked children from the time before they had a log. insideme-run has them in its log. */
#pragma once

#include "analyzer/model/model.h"

/*
 * Move these rows from the model's monitors to its processes, before rows that a process has of the same set.
 */
void children_rows_read(struct model *model);
