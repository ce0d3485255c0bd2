/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source lines of logs: those that CPU samples were in, their callers, and those that allocated blocks. */
#ifndef INSIDEME_SAMPLED_LINES_H
#define INSIDEME_SAMPLED_LINES_H

#include "analyzer/lines/lines.h"

/*
 * Fill the model's lines from the samples outside of hooks, and name their functions. Called when they are
 * asked for, because it reads the debug information of all code that was sampled. Return: NULL: no samples
 */
const struct lines *sampled_lines_read(struct model *model);

#endif
